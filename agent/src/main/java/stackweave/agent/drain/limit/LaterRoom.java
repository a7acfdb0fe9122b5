package stackweave.agent.drain.limit;

import java.lang.instrument.Instrumentation;

/**
 * Whether metaspace and the process's limits still have room while sampling runs, which had room
 * when it began: the application may have taken it since, and what the agent loads or maps late
 * must not be what is too much. Looks once a second, and at what is used only where something is
 * limited. For the drain thread.
 */
public final class LaterRoom implements HeapSlack.OtherRoom {
  private static final long LOOK_NANOS = 1_000_000_000L;

  /** A quarter of what must be free to begin: going on takes little more. */
  private static final int TO_GO_ON = 4;

  /** Half of it, where sampling has ended and may begin again. */
  private static final int TO_BEGIN_AGAIN = 2;

  private final MetaspaceRoom metaspace;
  private long lookedAt;
  private boolean looked;
  private String toGoOn;
  private String toBegin;

  public LaterRoom(Instrumentation instrumentation) {
    this.metaspace = MetaspaceRoom.of(instrumentation);
  }

  @Override
  public String whyNot(boolean begins) {
    long now = System.nanoTime();
    if (!looked || now - lookedAt >= LOOK_NANOS) {
      looked = true;
      lookedAt = now;
      toGoOn = whyNot(TO_GO_ON);
      toBegin = whyNot(TO_BEGIN_AGAIN);
    }
    return begins ? toBegin : toGoOn;
  }

  private String whyNot(int shares) {
    String why = metaspace.whyNot(shares);
    return why == null ? ProcessRoom.whyNot(shares) : why;
  }
}
