/** Finds each thread's own stack, so that the handler never reads beyond it. */
package stackweave.engine.timer.stack;
