/** What the agent says to the user, and its version. */
package stackweave.agent.message;
