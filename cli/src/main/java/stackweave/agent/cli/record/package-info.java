/** The command that records a running JVM. */
package stackweave.agent.cli.record;
