/** Where each thread's own stack lies, so that the handler never reads beyond it. */
package stackweave.agent.engine.timer.stack;
