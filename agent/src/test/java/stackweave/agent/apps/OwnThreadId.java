package stackweave.agent.apps;

/**
 * A thread whose class lets nobody have its id. As a program it says that id, and works for as many
 * seconds as told.
 */
public final class OwnThreadId extends Thread {
  public static final String NAME = "of its own id";

  private final long nanos;

  private OwnThreadId(long nanos) {
    super(NAME);
    this.nanos = nanos;
  }

  @Override
  @SuppressWarnings("deprecation") // from JDK 19 on
  public long getId() {
    throw new IllegalStateException("asked for its id");
  }

  @SuppressWarnings("deprecation")
  private long ownId() {
    return super.getId();
  }

  @Override
  public void run() {
    long end = System.nanoTime() + nanos;
    BurnsCpu.burn(() -> System.nanoTime() - end >= 0);
  }

  public static void main(String[] arguments) throws InterruptedException {
    OwnThreadId thread = new OwnThreadId(Long.parseLong(arguments[0]) * 1_000_000_000L);
    System.out.println(thread.ownId());
    thread.start();
    thread.join();
  }
}
