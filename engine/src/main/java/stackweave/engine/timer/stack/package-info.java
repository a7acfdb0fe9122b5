/** Where each thread's own stack lies, so that the handler never reads beyond it. */
package stackweave.engine.timer.stack;
