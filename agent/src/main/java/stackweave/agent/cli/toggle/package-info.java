/** The commands that switch sampling off and on. */
package stackweave.agent.cli.toggle;
