/**
 * What the command line and an agent in another JVM say to each other, and what both have to know:
 * names, places of files, limits of a process, the version.
 */
package stackweave.agent.attach;
