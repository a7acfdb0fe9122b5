/** The timers themselves, by thread. */
package stackweave.agent.engine.timer.threads;
