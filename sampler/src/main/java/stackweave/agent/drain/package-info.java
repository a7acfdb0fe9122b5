/**
 * The drain thread, which does all the agent's work: raw samples from the engine, unwound, named
 * and written into the recording.
 */
package stackweave.agent.drain;
