package stackweave.agent.drain;

import stackweave.agent.drain.limit.HeapSlack;

/** A heap of 1 GiB that is as full as the test says. Collections are still the JVM's. */
final class FakeHeap implements HeapSlack.Heap {
  private static final long MIB = 1 << 20;

  /** What was committed, and what of that was free; written together. In MiB. */
  private record Usage(long committed, long free) {}

  private volatile Usage usage = new Usage(1024, 512);

  /** Room for everything. */
  void hasRoom() {
    usage = new Usage(1024, 512);
  }

  /** Little is free of what is committed, but the JVM can make it larger. */
  void hasLittleFree() {
    usage = new Usage(900, 10);
  }

  /** Hardly anything is free, and it can't grow. */
  void isFull() {
    usage = new Usage(1024, 2);
  }

  @Override
  public long maxBytes() {
    return 1024 * MIB;
  }

  @Override
  public long committedBytes() {
    return usage.committed * MIB;
  }

  @Override
  public long freeBytes() {
    return usage.free * MIB;
  }
}
