package stackweave.agent.feature.weave;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import stackweave.agent.attach.JvmProperties;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureSession;
import stackweave.agent.jdk.JfrInternals;
import stackweave.agent.jdk.hook.FinishedChunkHook;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.message.Messages;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.EventStore;

/**
 * The option {@code weave=on}: lets the store append its samples to JFR's chunks as JFR's own
 * events. Weaves from the first session on, until the agent leaves.
 */
public final class WeaveFeature implements Feature {
  private static final List<String> JFR_SAMPLES =
      List.of("jdk.ExecutionSample", "jdk.NativeMethodSample");

  /** JFR's own samples, and the note if a recording has them, too. */
  private static final String TWICE =
      "JFR's own samples are recorded beside the woven ones, so tools that show both count CPU time"
          + " twice (jdk.ExecutionSample#enabled=false in the settings leaves them out, and so does"
          + " the command merge)";

  private final Instrumentation instrumentation;
  private final Messages messages;
  private final List<EventType> jfrSamples = new ArrayList<>();
  private boolean isBegun;
  private FinishedChunkHook hook;

  /**
   * @param messages gets the reason if weaving is not possible
   */
  public WeaveFeature(Instrumentation instrumentation, Messages messages) {
    this.instrumentation = instrumentation;
    this.messages = messages;
  }

  @Override
  public String failure() {
    return "samples are not woven";
  }

  @Override
  public FeatureSession open(FeatureContext context) {
    EventStore store = context.decoder().store();
    if (!isBegun) {
      isBegun = true;
      begin(store);
    }
    return new Session(store, context.decoder().counts().counters);
  }

  private final class Session implements FeatureSession {
    private final EventStore store;
    private final Counters counters;

    Session(EventStore store, Counters counters) {
      this.store = store;
      this.counters = counters;
    }

    @Override
    public void pass() {
      counters.set(Counter.UNWOVEN, store.unwoven());
    }

    @Override
    public void flush() {
      pass();
    }

    /** A note for readers of the recording. */
    @Override
    public String note() {
      String note = store.weaveNote();
      for (EventType type : jfrSamples) {
        if (type.isEnabled()) {
          return note.isEmpty() ? TWICE : note + "; " + TWICE;
        }
      }
      return note;
    }
  }

  /**
   * Begins to weave a store's samples. Takes JFR's locks, and a pause of all threads in which the
   * JVM changes a class.
   */
  private void begin(EventStore store) {
    try {
      store.weave(JfrInternals.metadata(instrumentation), directories());
      hook = FinishedChunkHook.install(instrumentation, new Listener(store));
    } catch (ReflectiveOperationException
        | HookException
        | IOException
        | RuntimeException
        | LinkageError e) {
      String why =
          "samples are not woven into what this JVM records, only by the command merge: "
              + (e instanceof HookException ? e.getMessage() : e.toString());
      store.weaveNone(why);
      messages.sampling(why);
      return;
    }
    for (EventType type : FlightRecorder.getFlightRecorder().getEventTypes()) {
      if (JFR_SAMPLES.contains(type.getName())) {
        jfrSamples.add(type);
      }
    }
  }

  /** The directory of JFR's own files, then those of temporary files. */
  private static List<Path> directories() {
    List<Path> directories = new ArrayList<>();
    for (String name : new String[] {JvmProperties.JFR_REPOSITORY, "java.io.tmpdir"}) {
      String directory = System.getProperty(name);
      if (directory != null) {
        directories.add(Path.of(directory));
      }
    }
    directories.add(Path.of("/var/tmp"));
    return directories;
  }

  /** Chunks stay as JFR leaves them from now on. */
  @Override
  public void remove() {
    if (hook != null) {
      hook.close();
      hook = null;
    }
  }

  /**
   * Called on threads of the application, which may have few permissions. A class and not a lambda,
   * because it is made when the heap may have little room.
   */
  private record Listener(EventStore store) implements Consumer<String> {
    @Override
    @SuppressWarnings(
        "removal") // needed up to JDK 23; from 24 on doPrivileged only runs the action
    public void accept(String file) {
      AccessController.doPrivileged(
          new PrivilegedAction<Void>() {
            @Override
            public Void run() {
              store.chunkFinished(file);
              return null;
            }
          });
    }
  }
}
