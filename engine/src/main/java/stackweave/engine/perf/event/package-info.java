/** Events of the kernel and the processor that can be sampled instead of CPU time. */
package stackweave.engine.perf.event;
