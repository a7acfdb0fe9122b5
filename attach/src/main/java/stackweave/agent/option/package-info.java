/** The agent's options: their table, and their values as read from {@code -javaagent}. */
package stackweave.agent.option;
