package stackweave.lab.phases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import stackweave.samples.lab.JniLab;
import stackweave.samples.work.Round;
import stackweave.samples.zoo.JniZoo;

/** All phases by name, in the order in which they run. */
public final class Phases {
  private static final List<String> JNI =
      List.of("Chains", "Callbacks", "NativeThreads", "Signals");

  /** Threads that run a phase of Java code at once. */
  private static final int THREADS = 2;

  private static final Map<String, Supplier<Map<String, List<Round>>>> ALL = new LinkedHashMap<>();

  static {
    add("compute", Compute::new);
    ALL.put("jni", () -> JniLab.workers(JNI));
    ALL.put("libraries", JniZoo::workers);
    add("vmheavy", VmHeavy::new);
    add("stubs", Stubs::new);
    add("deopt", Deopt::new);
    add("gc", Garbage::new);
    add("exceptions", Exceptions::new);
    add("classes", Classes::new);
    add("locks", Locks::new);
    add("io", InputOutput::new);
    add("virtual", VirtualThreads::new);
    add("ffm", ForeignCalls::new);
  }

  private Phases() {}

  private static void add(String name, Supplier<Round> round) {
    ALL.put(
        name,
        () -> {
          Map<String, List<Round>> workers = new LinkedHashMap<>();
          for (int i = 0; i < THREADS; i++) {
            workers.put(name + "-" + i, List.of(round.get()));
          }
          return workers;
        });
  }

  /** Names of all phases. */
  public static Set<String> names() {
    return ALL.keySet();
  }

  /** The phases that can run on this JVM. */
  public static List<String> here() {
    List<String> here = new ArrayList<>(names());
    if (!VirtualThreads.isHere()) {
      here.remove("virtual");
    }
    if (!ForeignCalls.isHere()) {
      here.remove("ffm");
    }
    return here;
  }

  /** The rounds of one of a phase's threads. */
  public static List<Round> rounds(String phase) {
    return workers(phase).values().iterator().next();
  }

  /** Thread name → its rounds. */
  static Map<String, List<Round>> workers(String phase) {
    return ALL.get(phase).get();
  }
}
