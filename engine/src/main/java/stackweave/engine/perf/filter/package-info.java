/**
 * What keeps other processes out of the samples by CPU: a BPF program ({@code ProcessFilter}),
 * which also copies older parts of deep stacks ({@code OlderParts}).
 */
package stackweave.engine.perf.filter;
