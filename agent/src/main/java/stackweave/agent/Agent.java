package stackweave.agent;

import java.io.Closeable;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.security.AccessController;
import java.security.PrivilegedAction;
import stackweave.agent.attach.Order;
import stackweave.agent.attach.Reply;
import stackweave.agent.attach.Reply.Outcome;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.message.Version;

/** The agent's start inside its own class loader; {@code stackweave.agent.boot} calls it. */
public final class Agent {
  private static final String UNSAMPLED = ": the application runs without sampling";

  private static final Object LOCK = new Object();

  // Guarded by LOCK. The visit is null unless the agent came for recordings of the command line.
  private static RunningAgent running;
  private static Visit visit;

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
      if (running == null) {
        // The command line takes a -javaagent for one that is there, unless it is told.
        new StatusBoard(instrumentation).clear();
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
      reopenJar();
      Reply reply = obey(order, instrumentation);
      StatusBoard board = new StatusBoard(instrumentation);
      if (running == null) {
        board.clear();
      } else {
        running.showStatus();
        board.showVisiting(visit != null);
      }
      board.reply(order.value(Order.Name.TICKET), reply);
      if (running == null) {
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
        case ATTACH -> stay(order.value(Order.Name.OPTIONS), instrumentation);
        case VISIT -> visit(order.value(Order.Name.RECORDING), instrumentation);
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
    if (visit == null) {
      return failed("an agent of version " + Version.current() + " is there already");
    }
    if (options != null && !options.isBlank()) {
      return failed(
          "an agent is there for a recording of the command record, and leaves with it: "
              + options
              + " was not applied; attach when that has ended");
    }
    visit.end();
    visit = null;
    return done("stays");
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

  /** The recording runs already: so whoever ordered this needs no second order to end the visit. */
  private static Reply visit(String recording, Instrumentation instrumentation) {
    if (running != null) {
      return done("is there");
    }
    if (!Visit.isRunning(recording)) {
      return failed("the recording ended before the agent came");
    }
    String whyNot = startOrSayWhyNot(null, true, instrumentation);
    if (whyNot != null) {
      return failed(whyNot);
    }
    boolean begun = false;
    try {
      visit = Visit.begin(new Leave(instrumentation));
      begun = true;
      return done("visits");
    } finally {
      if (!begun) {
        detach(); // nobody else would
      }
    }
  }

  /** Not a lambda: the heap may be full. */
  private record Leave(Instrumentation instrumentation) implements Runnable {
    @Override
    public void run() {
      asOurselves(
          new PrivilegedAction<>() {
            @Override
            public Void run() {
              leave(instrumentation);
              return null;
            }
          });
    }
  }

  /** Ends a visit if no recording of the command line runs any more. On a thread of its own. */
  private static void leave(Instrumentation instrumentation) {
    synchronized (LOCK) {
      if (visit == null || Visit.isAnyRunning()) {
        return;
      }
      detach();
      new StatusBoard(instrumentation).clear();
      closeJar();
    }
  }

  private static Reply detach() {
    if (running == null) {
      return failed("no agent is at work there");
    }
    if (visit != null) {
      visit.end();
      visit = null;
    }
    int ended = Visit.stopAll();
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

  /** Of a visit that ended while this order was on its way. */
  private static void reopenJar() {
    ClassLoader loader = Agent.class.getClassLoader();
    if (loader instanceof Closeable) {
      try {
        // Its class is in the application's sight, and so not in ours.
        loader.getClass().getMethod("reopen").invoke(loader);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("the agent's jar can't be opened", e);
      }
    }
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

  private static Reply done(String text) {
    return new Reply(Outcome.DONE, text);
  }

  private static Reply failed(String why) {
    return new Reply(Outcome.FAILED, why);
  }
}
