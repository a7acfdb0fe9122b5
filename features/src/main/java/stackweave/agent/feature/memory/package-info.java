/**
 * Native memory, in two ways. {@code MemorySampler}: which stacks touched pages first, and which of
 * these pages were given back, by page faults from perf events. {@code AllocationSampler}: which
 * stacks allocated blocks by malloc that were not freed, by the kernel's probes in the C library.
 */
package stackweave.agent.feature.memory;
