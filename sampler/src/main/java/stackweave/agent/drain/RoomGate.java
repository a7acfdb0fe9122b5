package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.concurrent.locks.LockSupport;
import stackweave.agent.drain.limit.Room;
import stackweave.agent.message.Messages;
import stackweave.jfr.control.StartGate;
import stackweave.jfr.status.SamplerFigures;

/**
 * Delays everything that sampling loads, even the registration of events with JFR, until heap,
 * metaspace and the process's limits have room for it. Once open it stays open, since loaded
 * classes stay. Called by the recording control on one thread; {@link #close} on any thread.
 */
public final class RoomGate implements StartGate, AutoCloseable {
  /** The number of looks at room for each check of the recordings. */
  private static final int RECORDINGS_LOOKS = 10;

  private final Messages messages;
  private final Sampler sampler;
  private final Room room;
  private boolean open;
  private volatile boolean closed;

  /**
   * @param messages reports on stderr why sampling waits
   * @param sampler shows the reason in the agent's status
   */
  public RoomGate(Instrumentation instrumentation, Messages messages, Sampler sampler) {
    this.messages = messages;
    this.sampler = sampler;
    this.room = Room.beforeFirst(instrumentation);
  }

  @Override
  public boolean await(Recordings recordings) {
    boolean said = false;
    for (int look = 0; !open && !closed; look++) {
      open = room.mayBegin();
      if (open) {
        break;
      }
      if (look % RECORDINGS_LOOKS == 0) {
        if (!recordings.areRunning()) {
          break;
        }
        if (!said && look >= Room.LOOKS_UNTIL_SAID && recordings.ask()) {
          said = true;
          messages.sampling(SamplerFigures.NOT_SAMPLING + room.whyNot());
          sampler.waitsFor(room.whyNot());
        }
      }
      LockSupport.parkNanos(this, Room.LOOK_NANOS);
      Thread.interrupted(); // an interrupted thread never parks
    }
    sampler.waitsFor("");
    return open;
  }

  /** Ends a wait. Any thread. */
  @Override
  public void close() {
    closed = true;
  }
}
