package stackweave.jfr.event;

/**
 * One sample with its kind, as a feature or engine passes it to the store, and as a reader gets it
 * from the event. Mutable: its owner reuses it, so a receiver must not keep it. Not thread-safe.
 */
public final class SampleRecord {
  /**
   * What was sampled. It decides what the weight is, and as which event the sample is written.
   * Refers to no event class, because recordings are also read on runtimes without JFR.
   */
  public enum Kind {
    /** CPU time, in ns. */
    CPU,
    /** Wall-clock time that a thread was not on a CPU, in ns, sampled by looks at the thread. */
    WALL,
    /** The same from the kernel's records of switches: the weight is the event's duration. */
    BLOCKED,
    /** A number of events of the kernel or the processor. */
    EVENT,
    /** Bytes of native memory that were touched first; negative if they were given back. */
    MEMORY,
    /** Bytes that malloc gave; negative if they were given back. */
    ALLOCATION;

    /** Whether the weight is the event's duration. */
    public boolean hasDuration() {
      return this == BLOCKED;
    }
  }

  public Kind kind;

  /** When it was taken or began: by {@link System#nanoTime}, or since 1970 where it is read. */
  public long timeNanos;

  /** What it stands for; {@link Kind} has the unit. */
  public long weight;

  /** The thread's key in the store. */
  public long threadKey;

  /** The innermost frame's node in the store; 0 for a stack without frames. */
  public long stackId;

  /** Why the stack ends, as in the session's legend. */
  public int end;

  /** What the thread worked for, in the store; 0 where that is not known. */
  public long contextId;

  /** {@link ThreadState#code}, or {@link ThreadState#ofSystemCall}; on a CPU unless it is set. */
  public int state;

  /** For {@link Kind#EVENT}: what happened, as options and settings name it. */
  public String event;

  /** For memory: the address of the page or block. */
  public long address;

  /** For {@link Kind#BLOCKED}: whether the thread has got a CPU again. */
  public boolean isOver;

  /** For {@link Kind#BLOCKED}: the key of the thread of this process that woke it, 0 for none. */
  public long wakerKey;

  /** As {@link Blocked#wakerPid}. */
  public int wakerPid;

  /** For {@link Kind#BLOCKED}: time from when it was woken until it got a CPU. */
  public long wakeDelayNanos;

  /** How long before the event's start time it was taken; the store sets it. */
  public long ageNanos;

  /** The id of state, end, context and age, for kinds whose event has it; the store sets it. */
  public long attributesId;

  /** Begins another sample and clears all fields of the previous one. */
  public SampleRecord begin(Kind kind, long timeNanos, long weight) {
    this.kind = kind;
    this.timeNanos = timeNanos;
    this.weight = weight;
    threadKey = 0;
    stackId = 0;
    end = 0;
    contextId = 0;
    state = 0;
    event = null;
    address = 0;
    isOver = false;
    wakerKey = 0;
    wakerPid = 0;
    wakeDelayNanos = 0;
    return this;
  }

  /** Sets the thread and its stack. */
  public SampleRecord stack(long threadKey, long stackId, int end, long contextId) {
    this.threadKey = threadKey;
    this.stackId = stackId;
    this.end = end;
    this.contextId = contextId;
    return this;
  }

  /** Sets what the thread did. */
  public SampleRecord state(int code) {
    state = code;
    return this;
  }

  /** Sets what happened. */
  public SampleRecord of(String event) {
    this.event = event;
    return this;
  }

  /** Sets which memory it is. */
  public SampleRecord at(long address) {
    this.address = address;
    return this;
  }
}
