/** What it takes to read a fleet's recordings into tables; the command {@code lab/fleet}. */
package stackweave.lab.fleet;
