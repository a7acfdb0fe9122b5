package stackweave.agent;

import java.io.Closeable;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.AccessController;
import java.security.PrivilegedAction;
import stackweave.agent.attach.Order;
import stackweave.agent.attach.Reply;
import stackweave.agent.attach.Reply.Outcome;
import stackweave.agent.attach.StatusBoard;

/** The agent's start inside its own class loader; {@code stackweave.agent.boot} calls it. */
public final class Agent {
  private static final String UNSAMPLED = ": the application runs without sampling";

  /** How long the start of sampling is waited for: on a busy machine it takes seconds. */
  private static final long START_MILLIS = 20_000;

  private static final Object LOCK = new Object();

  // Guarded by LOCK.
  private static RunningAgent running;
  private static OrderedRecording recording;
  private static boolean attachedToRecord;

  private Agent() {}

  /**
   * Starts the agent, or says in one line on stderr why it doesn't. Whatever is thrown becomes one
   * line there, too; the application starts in any case.
   *
   * @param options what stood after {@code =} in -javaagent, or null
   */
  public static void start(String options, Instrumentation instrumentation) {
    asOurselves(
        new PrivilegedAction<>() {
          @Override
          public Void run() {
            startOrSay(options, false, instrumentation);
            return null;
          }
        });
  }

  private static void startOrSay(
      String options, boolean attached, Instrumentation instrumentation) {
    synchronized (LOCK) {
      // No class of the command line's orders here: each costs premain time.
      String whyNot =
          running != null
              ? "is already here: the second start is ignored"
              : startOrSayWhyNot(options, attached, instrumentation);
      if (whyNot != null) {
        System.err.println("stackweave: " + whyNot);
      }
    }
  }

  /**
   * Takes what comes with a late attach: options as after -javaagent, or an {@link Order} of the
   * command line, which is answered with a {@link Reply}. An order never writes on the
   * application's stderr.
   */
  public static void attach(String text, Instrumentation instrumentation) {
    if (!Order.isOrder(text)) {
      asOurselves(
          new PrivilegedAction<>() {
            @Override
            public Void run() {
              startOrSay(text, true, instrumentation);
              return null;
            }
          });
      return;
    }
    asOurselves(
        new PrivilegedAction<>() {
          @Override
          public Void run() {
            answer(Order.parse(text), instrumentation);
            return null;
          }
        });
  }

  /**
   * What is registered with JFR, and every thread of ours, keeps the rights of those who were
   * calling; under a security manager the boot class and whoever attaches may have few. Not a
   * lambda: bootstrapping the first costs premain some milliseconds.
   */
  @SuppressWarnings("removal") // needed up to JDK 23; from 24 on it only calls
  private static void asOurselves(PrivilegedAction<Void> action) {
    AccessController.doPrivileged(action);
  }

  private static void answer(Order order, Instrumentation instrumentation) {
    synchronized (LOCK) {
      Reply reply = obey(order, instrumentation);
      StatusBoard board = new StatusBoard(instrumentation);
      board.reply(order.value(Order.Name.TICKET), reply);
      if (running == null) {
        board.clear();
        closeJar();
      }
    }
  }

  private static Reply obey(Order order, Instrumentation instrumentation) {
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
        case ATTACH -> attach(order, instrumentation);
        case RECORD -> record(order, instrumentation);
        case FINISH -> finish(order);
        case DETACH -> detach();
      };
    } catch (RuntimeException | LinkageError | IOException | InterruptedException e) {
      return failed(e instanceof IllegalArgumentException ? e.getMessage() : e.toString());
    }
  }

  private static Reply attach(Order order, Instrumentation instrumentation) {
    if (running != null) {
      return failed("an agent of version " + Version.current() + " is there already");
    }
    String whyNot = startOrSayWhyNot(order.value(Order.Name.OPTIONS), true, instrumentation);
    if (whyNot != null) {
      return failed(whyNot);
    }
    running.showStatus();
    return new Reply(Outcome.DONE, "attached");
  }

  /** Null once it runs. */
  private static String startOrSayWhyNot(
      String options, boolean attached, Instrumentation instrumentation) {
    Options parsed;
    try {
      parsed = Options.parse(options);
    } catch (InvalidOptionException e) {
      return e.getMessage() + UNSAMPLED;
    }
    if (ModuleLayer.boot().findModule("jdk.jfr").isEmpty()) {
      return "this JVM runs without JDK Flight Recorder (module jdk.jfr), where samples would go"
          + UNSAMPLED;
    }
    running = new RunningAgent(parsed, attached, instrumentation);
    return null;
  }

  /** Answers when samples are taken: the time asked for is time sampled. */
  private static Reply record(Order order, Instrumentation instrumentation)
      throws InterruptedException {
    boolean present = running != null;
    String whyNot = present ? null : startOrSayWhyNot(null, true, instrumentation);
    if (whyNot != null) {
      return failed(whyNot);
    }
    if (recording != null) {
      recording.discard(); // of a command line that died
      recording = null;
    } else {
      attachedToRecord = !present;
    }
    try {
      recording = OrderedRecording.start(order);
    } finally {
      if (recording == null && attachedToRecord) {
        detach();
      }
    }
    running.awaitSampling(START_MILLIS);
    return new Reply(Outcome.DONE, "recording");
  }

  private static Reply finish(Order order) throws IOException {
    if (recording == null) {
      return failed("no recording is being made");
    }
    OrderedRecording finished = recording;
    recording = null;
    try {
      finished.finish(Path.of(order.value(Order.Name.FILE)));
      return new Reply(Outcome.DONE, running.status());
    } finally {
      if (attachedToRecord) {
        detach();
      }
    }
  }

  private static Reply detach() {
    if (running == null) {
      return failed("no agent is at work there");
    }
    if (recording != null) {
      recording.discard();
      recording = null;
    }
    attachedToRecord = false;
    boolean ended = running.detach();
    running = null;
    return ended
        ? new Reply(Outcome.DONE, "detached")
        : failed("the sampling thread does not end; it is stuck until the JVM ends");
  }

  /** The one file descriptor of ours that is left; a new attach opens its jar again. */
  private static void closeJar() {
    if (Agent.class.getClassLoader() instanceof Closeable loader) {
      try {
        loader.close();
      } catch (IOException e) {
        // Closed for reading only: there is nothing to lose.
        return;
      }
    }
  }

  private static Reply failed(String why) {
    return new Reply(Outcome.FAILED, why == null ? "unknown failure" : why);
  }
}
