package stackweave.lab.chaos.antagonist;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** All antagonists by name, in the order in which they run. */
public final class Antagonists {
  private static final Map<String, Supplier<Antagonist>> ALL = new LinkedHashMap<>();

  static {
    ALL.put("gc", () -> new Collections("-XX:+UseG1GC"));
    ALL.put("gc-z", () -> new Collections("-XX:+UseZGC"));
    ALL.put("deopt", Deoptimizations::new);
    ALL.put("unload", ClassUnloading::new);
    ALL.put("redefine", Redefinitions::new);
    ALL.put("threads", ThreadStorm::new);
    ALL.put("dlclose", LibraryStorm::new);
    ALL.put("fork", Forks::new);
    ALL.put("async-cpu", () -> new AsyncProfilerBeside("cpu"));
    ALL.put("async-itimer", () -> new AsyncProfilerBeside("itimer"));
    ALL.put("cputime", CpuTimeSamples::new);
    ALL.put("stackoverflow", StackOverflows::new);
    ALL.put("codecache", CodeCacheFlushing::new);
    ALL.put("affinity", AffinityChanges::new);
    ALL.put("overflow", RingOverflow::new);
    ALL.put("stacks", PooledStacks::new);
    ALL.put("masks", BlockedSignals::new);
    ALL.put("seccomp", Confined::bySeccomp);
    ALL.put("time", Confined::byTime);
    ALL.put("heap", FullHeap::new);
    ALL.put("crowd", Crowd::new);
    ALL.put("switch", SwitchedOff::new);
    ALL.put("waits", WaitingThreads::new);
    ALL.put("recordings", ManyRecordings::new);
  }

  private Antagonists() {}

  /** All names. */
  public static Set<String> names() {
    return ALL.keySet();
  }

  /** The antagonists of a mix, {@code A+B+C} or just {@code A}, by name. */
  public static Map<String, Antagonist> mix(String names) {
    Map<String, Antagonist> mix = new LinkedHashMap<>();
    for (String name : names.split("\\+")) {
      if (!ALL.containsKey(name)) {
        throw new IllegalArgumentException(
            "no antagonist %s; there are %s".formatted(name, String.join(",", names())));
      }
      mix.put(name, ALL.get(name).get());
    }
    return mix;
  }
}
