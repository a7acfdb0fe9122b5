/** Events of the kernel and the processor that can be sampled instead of CPU time. */
package stackweave.agent.engine.perf.event;
