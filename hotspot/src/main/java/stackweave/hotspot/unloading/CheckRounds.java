package stackweave.hotspot.unloading;

import stackweave.hotspot.memory.MemoryPages;

/**
 * Divides time into rounds of some milliseconds: what is cached of the VM is compared with it at
 * its first use in each round. Code and classes rarely go away, a comparison takes a microsecond,
 * and samples come in batches, so that one per round is enough. Not thread-safe.
 */
public final class CheckRounds {
  /** Length of a round in nanoseconds. */
  private static final long ROUND_NANOS = 20_000_000;

  private final Unloading unloading;
  private final MemoryPages pages;
  private int epoch;
  private int current = 1;
  private int collections;
  private long started = System.nanoTime();

  /** When it was last looked whether classes were unloaded, before the VM's counts were read. */
  private long looked = started;

  private long sampleTime = Long.MAX_VALUE;

  /**
   * @param pages gets the time of each sample, and is cleared when classes were unloaded; null if
   *     there are none
   */
  public CheckRounds(Unloading unloading, MemoryPages pages) {
    this.unloading = unloading;
    this.pages = pages;
    this.collections = unloading.collectionsSeen();
  }

  Unloading unloading() {
    return unloading;
  }

  /** Whether classes were unloaded lately, so that the next unloading may come soon. */
  public boolean isUnloadingExpected() {
    return unloading.isExpected();
  }

  /** Whether the sample at hand was taken before the last unloading of classes was seen. */
  public boolean isBeforeUnloading() {
    return unloading.isSince(sampleTime);
  }

  /**
   * Whether what was checked in this round holds for the sample at hand: one from before the last
   * unloading, or one since which nothing can have changed. For a later sample what was freed may
   * have been replaced since it was checked.
   */
  public boolean isCheckEnough() {
    return sampleTime == Long.MAX_VALUE || isBeforeUnloading();
  }

  /** How many garbage collections there were when this round began. */
  int collections() {
    return collections;
  }

  /** The number of this round, from 1 on; another one after classes were unloaded. */
  public int current() {
    return current;
  }

  /** When this round began, by {@link System#nanoTime}. */
  long started() {
    return started;
  }

  /** When the sample at hand was taken; {@link Long#MAX_VALUE} for one that is being taken. */
  public long sampleTime() {
    return sampleTime;
  }

  /**
   * Begins the next round if this one is old, or if classes were unloaded or code was freed since
   * it began: nothing that was compared before counts for a sample from after that. Called once per
   * sample.
   *
   * @param timeNanos when the sample was taken, or 0 if nothing can have changed since
   */
  public void tick(long timeNanos) {
    sampleTime = timeNanos == 0 ? Long.MAX_VALUE : timeNanos;
    if (pages != null) {
      pages.begin(sampleTime);
    }
    long now = System.nanoTime();
    if (now - started > ROUND_NANOS) {
      begin(now);
    } else if (timeNanos != 0 && looked <= timeNanos) {
      look();
    }
  }

  /** Begins the next round now: everything cached is compared again before it is used. */
  public void next() {
    unloading.doubt();
    begin(System.nanoTime());
  }

  private void begin(long now) {
    started = now;
    current++;
    look();
    if (pages != null && !unloading.isTold()) {
      pages.clear();
    }
  }

  /**
   * Looks whether classes were unloaded or code was freed: then another round begins, and what was
   * read before of unloaded classes' memory is void.
   */
  public void look() {
    looked = System.nanoTime();
    unloading.look();
    boolean unloaded = epoch != unloading.epoch();
    if (unloaded || collections != unloading.collectionsSeen()) {
      epoch = unloading.epoch();
      collections = unloading.collectionsSeen();
      started = looked;
      current++;
      if (unloaded && pages != null) {
        pages.clear();
      }
    }
  }
}
