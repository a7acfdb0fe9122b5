/** The figures of a recording and of the agent's status. */
package stackweave.agent.drain.status;
