/**
 * The protocol between the command line and an agent in another JVM, and what both need to know:
 * names, paths of files, limits of a process, the version.
 */
package stackweave.agent.attach;
