package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.concurrent.locks.LockSupport;
import stackweave.agent.drain.limit.HeapSlack;
import stackweave.agent.drain.limit.MetaspaceRoom;
import stackweave.agent.drain.limit.ProcessRoom;
import stackweave.agent.message.Messages;
import stackweave.jfr.control.StartGate;
import stackweave.jfr.status.SamplerFigures;

/**
 * Delays everything that sampling loads, even the registration of events with JFR, until heap,
 * metaspace and the process's limits have room for it. On a small heap it first waits for the
 * application's start, when memory in permanent use is not allocated yet. Once open it stays open,
 * since loaded classes stay. Called by the recording control on one thread; {@link #close} on any
 * thread.
 */
public final class HeapGate implements StartGate, AutoCloseable {
  /** How long it waits for the application's start on a small heap. */
  private static final long SETTLE_NANOS = 2_000_000_000L;

  private static final long LOOK_NANOS = 50_000_000L;

  /** Memory is checked this many times for each check of the recordings. */
  private static final int RECORDINGS_LOOKS = 10;

  private final Instrumentation instrumentation;
  private final Messages messages;
  private final Sampler sampler;
  private boolean open;

  /** Null before it is first asked. */
  private MetaspaceRoom metaspace;

  private volatile boolean closed;

  /**
   * @param messages reports on stderr why sampling waits
   * @param sampler shows the reason in the agent's status
   */
  public HeapGate(Instrumentation instrumentation, Messages messages, Sampler sampler) {
    this.instrumentation = instrumentation;
    this.messages = messages;
    this.sampler = sampler;
  }

  private MetaspaceRoom metaspace() {
    if (metaspace == null) {
      metaspace = MetaspaceRoom.of(instrumentation);
    }
    return metaspace;
  }

  /** Why metaspace or the process's limits have no room; null if they have. */
  private String noRoom() {
    String noRoom = metaspace().whyNot();
    return noRoom == null ? ProcessRoom.whyNot() : noRoom;
  }

  @Override
  public boolean await(Recordings recordings) {
    if (open) {
      return true;
    }
    HeapSlack slack = new HeapSlack();
    long begin = System.nanoTime();
    String noRoom = null;
    boolean asked = false;
    boolean said = false;
    for (int look = 0; !closed; look++) {
      slack.look();
      boolean settled = !slack.needsSettling() || System.nanoTime() - begin > SETTLE_NANOS;
      boolean looksAtRecordings = look % RECORDINGS_LOOKS == 0 || recordings.haveChanged();
      if (looksAtRecordings) {
        noRoom = noRoom();
      }
      if (settled && slack.isAmple() && noRoom == null) {
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
      String whyNot = noRoom != null ? noRoom : slack.isKnown() ? slack.whyNot() : "";
      if (settled && asked && !said && !whyNot.isEmpty()) {
        said = true;
        messages.sampling(SamplerFigures.NOT_SAMPLING + whyNot);
        sampler.waitsFor(whyNot);
      }
      LockSupport.parkNanos(this, LOOK_NANOS);
      Thread.interrupted(); // an interrupted thread never parks
    }
    sampler.waitsFor("");
    return false;
  }

  /** Ends a wait. Any thread. */
  @Override
  public void close() {
    closed = true;
  }
}
