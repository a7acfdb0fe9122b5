package stackweave.agent.drain;

import stackweave.agent.drain.limit.HeapRoom;

/** A heap of 1 GiB that is as full as the test says, with a collection between any two looks. */
final class FakeHeap implements HeapRoom.Heap {
  private static final long MIB = 1 << 20;

  private volatile long usedMebibytes = 512;
  private volatile boolean isCollected;

  /** Room for everything. */
  void hasRoom() {
    usedMebibytes = 512;
  }

  /** Hardly anything is free. */
  void isFull() {
    usedMebibytes = 1022;
  }

  @Override
  public long maxBytes() {
    return 1024 * MIB;
  }

  @Override
  public long usedBytes() {
    isCollected = !isCollected;
    return usedMebibytes * MIB + (isCollected ? 0 : 1);
  }
}
