package stackweave.samples.lab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.samples.work.Round;
import stackweave.samples.work.Workers;

/**
 * Runs the lab's phases, one thread for each variant of the C code.
 *
 * <p>{@code JniLab [SECONDS [PHASE,PHASE…]]}; standard output is a checksum per variant, the same
 * in every run with the same phases.
 */
public final class JniLab {

  /** All phases, in the order in which a thread runs them. */
  public static final List<String> PHASES =
      List.of("Chains", "Callbacks", "Allocas", "Recursion", "Leaves", "Signals", "NativeThreads");

  private JniLab() {}

  public static void main(String[] args) {
    double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 10;
    List<String> phases = args.length > 1 ? List.of(args[1].split(",")) : PHASES;
    for (String phase : phases) {
      if (!PHASES.contains(phase)) {
        System.err.printf(
            Locale.ROOT, "no phase %s; there are %s%n", phase, String.join(",", PHASES));
        System.exit(2);
      }
    }
    Workers.run(workers(phases), seconds).forEach(System.out::println);
  }

  /** Thread name → its rounds: a thread for each variant that was built. */
  public static Map<String, List<Round>> workers(List<String> phases) {
    Map<String, List<Round>> workers = new LinkedHashMap<>();
    for (String name : Variant.built()) {
      Variant variant = Variant.load(name);
      List<Round> rounds = new ArrayList<>();
      phases.forEach(phase -> rounds.add(variant.phase(phase)));
      workers.put("lab-" + name, rounds);
    }
    return workers;
  }
}
