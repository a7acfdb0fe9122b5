package stackweave.engine.probe;

import stackweave.unwind.snapshot.StackSnapshot;

/** Receives the allocation and the freeing of followed blocks, in order of time. */
public interface AllocationSink {
  /**
   * A block was allocated, by the thread and stack in the snapshot, which is valid for this call.
   *
   * @param bytes its size as the C library counts it, with its own word
   * @param shift blocks of less than two to this power were followed in proportion to their size
   */
  void allocated(long address, long bytes, int shift, StackSnapshot snapshot);

  /** A block was freed. Its allocation may not have been reported. */
  void freed(long address, long timeNanos);
}
