/**
 * Work of every sort that a JVM does, each a phase: what the matrix runs per JDK and set of flags.
 */
package stackweave.lab.phases;
