package stackweave.live.events;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.Recording;
import stackweave.lab.AgentStatus;
import stackweave.lab.Sampling;

/**
 * Has a known number of page faults, context switches and calls of a function in two native
 * functions each, while a recording of its own samples that event: {@code EventsApp LIBRARY
 * DIRECTORY}. Prints of each what the kernel counted for the thread meanwhile.
 */
final class EventsApp {
  // Fewer in all than a ring has room for, so none is lost however late the agent takes them.
  static final int ROUNDS = 15;
  static final int OFTEN = 60;
  static final int SELDOM = 20;

  private static final long PAUSE_MILLIS = 30;

  /** With a breakpoint at each they take more than all else that the program does. */
  private static final long MANY = 300_000;

  private static final int MANY_INTERVAL = 1_000;

  private EventsApp() {}

  static native void touch(boolean often, long times);

  static native void sleep(boolean often, long times);

  static native void call(boolean often, long times);

  /** The kinds of events, and where the kernel counts those of a thread. */
  private enum Kind {
    TOUCH("page-faults"),
    SLEEP("context-switches"),
    CALL("libevents.so:events_called"),

    /** What nanosleep() of the C library calls; the JVM's threads wait in other ways. */
    TRACE("syscalls:sys_enter_clock_nanosleep");

    private final String event;

    Kind(String event) {
      this.event = event;
    }

    private void happens(boolean often, long times) {
      switch (this) {
        case TOUCH -> touch(often, times);
        case SLEEP, TRACE -> EventsApp.sleep(often, times);
        case CALL -> call(often, times);
      }
    }

    private long counted() throws IOException {
      return switch (this) {
        case TOUCH -> {
          String stat = Files.readString(Path.of("/proc/thread-self/stat"));
          yield Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[7]);
        }
        case SLEEP ->
            Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.startsWith("voluntary_ctxt_switches"))
                .mapToLong(line -> Long.parseLong(line.split("\\s+")[1]))
                .sum();
        case CALL, TRACE -> 0;
      };
    }
  }

  public static void main(String[] args) throws Exception {
    System.load(args[0]);
    for (Kind kind : Kind.values()) {
      if (kind == Kind.TRACE && !Boolean.parseBoolean(args[2])) {
        continue;
      }
      try (Recording recording = new Recording()) {
        recording.setName("of " + kind.event);
        recording.enable("stackweave.NativeSample").with("event", kind.event);
        long before = AgentStatus.samples();
        // It lives before events are attached, so that none of its own happen before that.
        CountDownLatch attached = new CountDownLatch(1);
        Thread worker = new Thread(() -> work(kind, attached), "worker");
        worker.setDaemon(true); // if this thread fails, the program ends
        worker.start();
        recording.start();
        AgentStatus.await(
            () -> {
              kind.happens(true, 1); // on this thread, which nothing is counted of
              return AgentStatus.samples() > before;
            });
        attached.countDown();
        worker.join();
        AgentStatus.awaitRest("samples:");
        recording.stop();
        recording.dump(Path.of(args[1], kind.name() + ".jfr"));
      }
      AgentStatus.await(() -> !Sampling.isOn());
    }
    callOften(Path.of(args[1], "MANY.jfr"));
  }

  private static void callOften(Path file) throws Exception {
    try (Recording recording = new Recording()) {
      recording
          .enable("stackweave.NativeSample")
          .with("event", Kind.CALL.event)
          .with("interval", Integer.toString(MANY_INTERVAL));
      long before = AgentStatus.samples();
      recording.start();
      AgentStatus.await(
          () -> {
            call(true, MANY_INTERVAL);
            return AgentStatus.samples() > before;
          });
      call(true, MANY);
      recording.stop();
      recording.dump(file);
    }
  }

  private static void work(Kind kind, CountDownLatch attached) {
    try {
      attached.await();
      long before = kind.counted();
      for (int i = 0; i < ROUNDS; i++) {
        often(kind);
        seldom(kind);
        Thread.sleep(PAUSE_MILLIS);
      }
      System.out.println(kind.event + " " + (kind.counted() - before));
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void often(Kind kind) {
    kind.happens(true, OFTEN);
  }

  private static void seldom(Kind kind) {
    kind.happens(false, SELDOM);
  }
}
