package stackweave.agent;

import java.lang.instrument.Instrumentation;
import java.security.AccessController;
import java.security.PrivilegedAction;
import jdk.jfr.FlightRecorder;
import stackweave.agent.attach.Order;
import stackweave.agent.attach.Reply;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.attach.Version;
import stackweave.agent.jdk.VmArguments;
import stackweave.agent.option.InvalidOptionException;
import stackweave.agent.option.Options;

/**
 * The agent's entry points inside its own class loader: start, attach and detach. Called
 * reflectively by {@code stackweave.agent.boot.Boot} only. Thread-safe; never throws into the
 * application for a failure of its own start.
 */
public final class Agent {
  private static final String UNSAMPLED = ": the application runs without sampling";

  private static final Object LOCK = new Object();

  // Guarded by LOCK. temporary is non-null only while the agent was attached for recordings of the
  // command record and will detach with the last of them.
  private static RunningAgent running;
  private static TemporaryAgent temporary;

  private Agent() {}

  /**
   * Starts the agent, or says in one line on stderr why it can't; the application starts in any
   * case.
   *
   * @param options the text after {@code =} in -javaagent, or null
   */
  public static void start(String options, Instrumentation instrumentation) {
    withOwnPermissions(new Entry(options, false, instrumentation));
  }

  /** A class and not a lambda: bootstrapping the JVM's first lambda costs premain milliseconds. */
  private record Entry(String text, boolean attached, Instrumentation instrumentation)
      implements PrivilegedAction<Void> {
    @Override
    public Void run() {
      if (attached && Order.isOrder(text)) {
        answer(Order.parse(text), instrumentation);
      } else {
        startOrSay(text, attached, instrumentation);
      }
      return null;
    }
  }

  private static void startOrSay(
      String options, boolean attached, Instrumentation instrumentation) {
    synchronized (LOCK) {
      // No use of Order or Reply here: each class loaded costs premain time.
      String whyNot =
          running != null
              ? "is already here: the second start is ignored"
              : startOrSayWhyNot(options, attached, instrumentation);
      if (whyNot != null) {
        System.err.println("stackweave: " + whyNot);
      }
      if (running == null) {
        // Without this, the command line would take the agent's class loader for a running agent.
        new StatusBoard(instrumentation).clear();
      } else if (attached) {
        running.showStatus(); // there may have been an agent that was detached
      }
    }
  }

  /**
   * Handles the text of a late attach: options as after -javaagent, or an {@link Order} of the
   * command line, which is answered with a {@link Reply}. An order never writes to the
   * application's stderr.
   */
  public static void attach(String text, Instrumentation instrumentation) {
    withOwnPermissions(new Entry(text, true, instrumentation));
  }

  /**
   * Runs with the agent's own permissions: objects registered with JFR and new threads inherit the
   * access control context of their caller, and under a security manager the application's caller
   * may have few.
   */
  @SuppressWarnings("removal") // needed up to JDK 23; from 24 on doPrivileged only runs the action
  private static void withOwnPermissions(PrivilegedAction<Void> action) {
    AccessController.doPrivileged(action);
  }

  private static void answer(Order order, Instrumentation instrumentation) {
    synchronized (LOCK) {
      Reply reply = carryOut(order, instrumentation);
      StatusBoard board = new StatusBoard(instrumentation);
      if (running == null) {
        board.clear();
      } else {
        running.showStatus();
        board.showTemporary(temporary != null);
      }
      board.reply(order.value(Order.Name.TICKET), reply);
    }
  }

  private static Reply carryOut(Order order, Instrumentation instrumentation) {
    if (!order.version().equals(Version.current())) {
      return failed(
          "the agent in that JVM has version "
              + Version.current()
              + ", this jar "
              + order.version()
              + ": use the jar of that version, or restart the JVM");
    }
    try {
      return switch (order.kind()) {
        case ATTACH -> stay(order.value(Order.Name.OPTIONS), instrumentation);
        case START_TEMPORARY -> startTemporary(order.value(Order.Name.RECORDING), instrumentation);
        case DETACH -> detach();
      };
    } catch (RuntimeException | LinkageError e) {
      return failed(e.toString());
    }
  }

  private static Reply stay(String options, Instrumentation instrumentation) {
    if (running == null) {
      String whyNot = startOrSayWhyNot(options, true, instrumentation);
      return whyNot == null ? done("attached") : failed(whyNot);
    }
    if (temporary == null) {
      return failed("an agent of version " + Version.current() + " is there already");
    }
    if (options != null && !options.isBlank()) {
      return failed(
          "an agent is there for a recording of the command record, and leaves with it: "
              + options
              + " was not applied; attach when that has ended");
    }
    temporary.end();
    temporary = null;
    return done("stays");
  }

  /**
   * Starts the agent.
   *
   * @return null if it runs, else the reason, in one line
   */
  private static String startOrSayWhyNot(
      String options, boolean attached, Instrumentation instrumentation) {
    Options parsed;
    try {
      parsed = Options.parse(options, attached);
    } catch (InvalidOptionException e) {
      return e.getMessage() + UNSAMPLED;
    }
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      return "this JVM runs without JDK Flight Recorder (module jdk.jfr), where samples would go"
          + UNSAMPLED;
    }
    if (!FlightRecorder.isAvailable()) {
      return "this JVM has no Flight Recorder, where samples would go: its VM was built without it,"
          + " or -XX:-FlightRecorder forbids it"
          + UNSAMPLED;
    }
    long heap = Runtime.getRuntime().maxMemory();
    String concurrent =
        parsed.isTooSmall(heap / 2) ? concurrentCollector(VmArguments.read(instrumentation)) : "";
    if (parsed.isTooSmall(concurrent.isEmpty() ? heap : heap / 2)) {
      return tooSmall(heap, parsed.minHeapMebibytes(), concurrent) + UNSAMPLED;
    }
    running = new RunningAgent(parsed, instrumentation);
    return null;
  }

  /**
   * The collector, if it is one that works while the application allocates: then the same room
   * takes twice the heap. Empty if it is another.
   */
  private static String concurrentCollector(String[] arguments) {
    for (String argument : arguments) {
      if (argument.equals("-XX:+UseZGC") || argument.equals("-XX:+UseShenandoahGC")) {
        return argument.substring("-XX:+Use".length());
      }
    }
    return "";
  }

  private static String tooSmall(long heap, int minHeap, String concurrentCollector) {
    int least = Options.LEAST_HEAP_MEBIBYTES;
    int factor = concurrentCollector.isEmpty() ? 1 : 2;
    String why =
        "the heap of "
            + (heap >> 20)
            + " MiB is too small"
            + (factor > 1 ? " with " + concurrentCollector : "")
            + ", -Xmx"
            + factor * minHeap
            + "m is enough";
    return minHeap > least
        ? why + " (min-heap=" + least + " samples it from " + factor * least + " MiB on)"
        : why;
  }

  /**
   * Attaches the agent for one recording of the command record, which must be running already: the
   * agent detaches when no such recording runs any more.
   */
  private static Reply startTemporary(String recording, Instrumentation instrumentation) {
    if (running != null) {
      return done("is there");
    }
    if (!TemporaryAgent.isRunning(recording)) {
      return failed("the recording ended before the agent came");
    }
    String whyNot = startOrSayWhyNot(null, true, instrumentation);
    if (whyNot != null) {
      return failed(whyNot);
    }
    boolean begun = false;
    try {
      temporary = TemporaryAgent.begin(new Leave(instrumentation));
      begun = true;
      return done("attached for a recording");
    } finally {
      if (!begun) {
        detach(); // no listener is there that would do it later
      }
    }
  }

  /**
   * A class and not a lambda: bootstrapping a lambda allocates, and the heap may be full. Swallows
   * all exceptions, because the application's uncaught-exception handler may end the JVM.
   */
  private record Leave(Instrumentation instrumentation) implements Runnable {
    @Override
    public void run() {
      try {
        withOwnPermissions(
            new PrivilegedAction<>() {
              @Override
              public Void run() {
                leave(instrumentation);
                return null;
              }
            });
      } catch (Throwable e) {
        return; // the agent stays until the command detach
      }
    }
  }

  /**
   * Detaches if no recording of the command record runs any more. Called on a thread of its own.
   */
  private static void leave(Instrumentation instrumentation) {
    synchronized (LOCK) {
      if (temporary == null || TemporaryAgent.isAnyRunning()) {
        return;
      }
      detach();
      new StatusBoard(instrumentation).clear();
    }
  }

  private static Reply detach() {
    if (running == null) {
      return failed("no agent is at work there");
    }
    if (temporary != null) {
      temporary.end();
      temporary = null;
    }
    int ended = TemporaryAgent.stopAll();
    boolean over = running.detach();
    running = null;
    if (!over) {
      return failed("the sampling thread does not end; it is stuck until the JVM ends");
    }
    return done(
        ended == 0
            ? ""
            : "; "
                + ended
                + (ended == 1 ? " recording" : " recordings")
                + " of the command record ended with it, and what was recorded is kept");
  }

  private static Reply done(String text) {
    return new Reply(true, text);
  }

  private static Reply failed(String why) {
    return new Reply(false, why);
  }
}
