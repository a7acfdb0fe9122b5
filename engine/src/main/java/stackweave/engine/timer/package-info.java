/**
 * The engine on CPU timers and a signal: one timer a thread, the handler's records, and the
 * discovery of threads.
 */
package stackweave.engine.timer;
