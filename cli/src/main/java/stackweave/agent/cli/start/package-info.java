/** Programs that {@code record -- COMMAND} starts, with the agent in their JVMs. */
package stackweave.agent.cli.start;
