/** Another process, seen with its user's rights: its JVM, its files, its attach socket. */
package stackweave.agent.cli.process;
