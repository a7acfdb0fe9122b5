/**
 * The command {@code relay}: recordings of a few seconds, one after the other, sent to a collector
 * by this process and not by the JVM that is sampled.
 */
package stackweave.agent.cli.relay;
