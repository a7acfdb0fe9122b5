/** The CPU timers of threads. */
package stackweave.engine.timer.threads;
