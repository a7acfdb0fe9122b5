/** Which thread a sample is of: platform threads, virtual threads, their names. */
package stackweave.agent.decode.thread;
