package stackweave.jfr.event;

import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** The fields that the events of all samples have: thread and stack. */
public abstract class StackEvent extends Event {
  /** When it began, by {@link System#nanoTime}; only where JFR does not stamp it. */
  public transient long timeNanos;

  public transient long durationNanos;

  @Label("Sampled Thread")
  @Description(
      "The Java thread, a virtual one where one was mounted and is known; none for threads of the"
          + " VM, of native code, and for exited ones")
  public Thread sampledThread;

  @Label("Thread Key")
  @Description("The thread that was sampled; OS thread ids are reused, these are not")
  public long threadId;

  @Label("Stack")
  @Description("The frame that the thread was in; 0 when no frame is known")
  public long stackId;

  /** Sets all fields except the thread's object. */
  public void fill(SampleRecord sample) {
    threadId = sample.threadKey;
    stackId = sample.stackId;
  }

  /** The id of the context that the event itself has; 0 for none. */
  public abstract long contextId();

  /** The id of the attributes that it has instead of codes; 0 for none. */
  public abstract long attributesId();

  /** The key of another thread that it names; 0 for none. */
  public long otherThreadId() {
    return 0;
  }
}
