/** Which threads block the signal, and which are passed over for it. */
package stackweave.agent.engine.timer.mask;
