/** The files that {@code record -o} names: a recording, and what is made of it. */
package stackweave.agent.cli.output;
