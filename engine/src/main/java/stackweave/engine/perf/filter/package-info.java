/**
 * Filters samples by CPU, so that other processes are not sampled: a BPF program ({@code
 * ProcessFilter}), which also copies older parts of deep stacks ({@code OlderParts}).
 */
package stackweave.engine.perf.filter;
