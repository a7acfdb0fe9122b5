package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.concurrent.locks.LockSupport;
import stackweave.agent.drain.limit.HeapSlack;
import stackweave.agent.drain.limit.MetaspaceRoom;
import stackweave.agent.message.Messages;
import stackweave.jfr.control.StartGate;

/**
 * Lets nothing begin that sampling needs, not even events be registered with JFR, before the heap
 * and the metaspace have room for it. On a small heap the application begins first, for what it
 * keeps in use for good is not there before. Once open it stays open: what was loaded stays, too.
 * For one thread, but for {@link #close}.
 */
public final class HeapGate implements StartGate, AutoCloseable {
  /** How long the application is let begin on a small heap. */
  private static final long SETTLE_NANOS = 2_000_000_000L;

  private static final long LOOK_NANOS = 50_000_000L;

  /** So many looks at memory come to one at the recordings. */
  private static final int RECORDINGS_LOOKS = 10;

  private final Instrumentation instrumentation;
  private final Messages messages;
  private final Sampler sampler;
  private boolean open;
  private volatile boolean closed;

  /**
   * @param messages says on stderr why it stays closed while samples are asked for
   * @param sampler says so where the state of sampling is asked for
   */
  public HeapGate(Instrumentation instrumentation, Messages messages, Sampler sampler) {
    this.instrumentation = instrumentation;
    this.messages = messages;
    this.sampler = sampler;
  }

  @Override
  public boolean await(Recordings recordings) {
    if (open) {
      return true;
    }
    MetaspaceRoom metaspace = MetaspaceRoom.of(instrumentation);
    HeapSlack slack = new HeapSlack();
    long begin = System.nanoTime();
    String noClasses = null;
    boolean asked = false;
    boolean said = false;
    for (int look = 0; !closed; look++) {
      slack.look();
      boolean settled = !slack.needsSettling() || System.nanoTime() - begin > SETTLE_NANOS;
      boolean looksAtRecordings = look % RECORDINGS_LOOKS == 0 || recordings.haveChanged();
      if (looksAtRecordings) {
        noClasses = metaspace.whyNot();
      }
      if (settled && slack.isAmple() && noClasses == null) {
        open = true;
        sampler.waitsFor("");
        return true;
      }
      if (looksAtRecordings) {
        if (!recordings.areRunning()) {
          break;
        }
        asked = recordings.ask();
      }
      String whyNot = noClasses != null ? noClasses : slack.isKnown() ? slack.whyNot() : "";
      if (settled && asked && !said && !whyNot.isEmpty()) {
        said = true;
        messages.sampling("not sampling: " + whyNot);
        sampler.waitsFor(whyNot);
      }
      LockSupport.parkNanos(this, LOOK_NANOS);
      Thread.interrupted(); // an interrupted thread is never parked
    }
    sampler.waitsFor("");
    return false;
  }

  /** Lets go who waits. Any thread. */
  @Override
  public void close() {
    closed = true;
  }
}
