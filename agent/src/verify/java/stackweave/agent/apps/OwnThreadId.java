package stackweave.agent.apps;

import java.io.IOException;

/**
 * A thread whose class lets nobody have its id. As a program it says that id, and works until its
 * standard input ends.
 */
public final class OwnThreadId extends Thread {
  public static final String NAME = "of its own id";

  private volatile boolean over;

  private OwnThreadId() {
    super(NAME);
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
    BurnsCpu.burn(() -> over);
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    OwnThreadId thread = new OwnThreadId();
    System.out.println(thread.ownId());
    thread.start();
    System.out.println("ready");
    while (System.in.read() >= 0) {
      // until it is closed
    }
    thread.over = true;
    thread.join();
  }
}
