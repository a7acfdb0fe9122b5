/**
 * How programs that the kernel runs for the agent are written ({@code BpfCode}) and loaded ({@code
 * Bpf}). The programs themselves are where they are used: {@code ProcessFilter}, {@code
 * FaultFilter}, {@code MoveProbe}, {@code AllocationProgram}.
 */
package stackweave.engine.bpf;
