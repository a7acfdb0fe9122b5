/** The timers themselves, by thread. */
package stackweave.engine.timer.threads;
