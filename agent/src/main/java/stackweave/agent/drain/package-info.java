/**
 * The drain thread, the only one of ours that works: raw samples from the engine, unwound, named
 * and written into the recording.
 */
package stackweave.agent.drain;
