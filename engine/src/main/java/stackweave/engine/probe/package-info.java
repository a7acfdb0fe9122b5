/**
 * What native memory is recorded by: probes at malloc and its relatives ({@code AllocationProbes}),
 * and, for page faults, a filter of pages ({@code FaultFilter}) and a probe at mremap ({@code
 * MoveProbe}). Each is a small program of ours that the kernel runs. Opt-in; probes stay only while
 * calls are few.
 */
package stackweave.engine.probe;
