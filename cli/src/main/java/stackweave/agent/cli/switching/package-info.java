/** The commands {@code off} and {@code on}, which switch sampling off and on. */
package stackweave.agent.cli.switching;
