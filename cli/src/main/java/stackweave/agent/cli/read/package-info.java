/** The commands that read a recording. */
package stackweave.agent.cli.read;
