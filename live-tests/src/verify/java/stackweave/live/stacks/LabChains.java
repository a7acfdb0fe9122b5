package stackweave.live.stacks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All stacks that jni-lab can have while the innermost frame is one of its C functions. */
final class LabChains {

  /** {@code Callbacks.LEVELS} and {@code Recursion.DEPTH}. */
  private static final int LEVELS = 5;

  private static final int DEPTH = 120;

  /**
   * The functions that burn the CPU time of each phase, each 5 % or more of that of the lab's: runs
   * without samples of them prove nothing.
   */
  static final List<String> BURNERS =
      List.of(
          "lab_chain_leaf",
          "lab_callback_leaf",
          "lab_alloca_leaf",
          "lab_recursion_leaf",
          "lab_signal_victim_leaf",
          "lab_signal_burn_leaf",
          "lab_thread_burn_leaf");

  /** Functions of a few instructions, which share the time of another phase: 7 %. */
  static final Set<String> TINY = Set.of("lab_tiny_add", "lab_tiny_rotate", "lab_tiny_pushes");

  private final Map<String, List<Chain>> chains = new HashMap<>();

  LabChains() {
    along(
        phase("Chains", "run"),
        "lab_chain_outer",
        "lab_chain_middle",
        "lab_chain_static",
        "lab_chain_inner",
        "lab_chain_leaf");
    along(phase("Allocas", "run"), "lab_alloca_outer", "lab_alloca_frame", "lab_alloca_leaf");
    along(phase("Leaves", "run"), "lab_leaves_loop", "lab_tiny_add");
    along(phase("Leaves", "run"), "lab_leaves_loop", "lab_tiny_rotate");
    along(phase("Leaves", "run"), "lab_leaves_loop", "lab_tiny_pushes", "lab_tiny_add");
    recursion();
    callbacks();
    signals();
    threads();
  }

  /** The chains that have this function innermost; none for a function that is not the lab's. */
  List<Chain> to(String innermost) {
    return chains.getOrDefault(innermost, List.of());
  }

  private void recursion() {
    List<String> start = phase("Recursion", "run");
    along(start);
    add(start, "lab_recursion_step+");
    List<String> all = new ArrayList<>(start);
    all.addAll(Collections.nCopies(DEPTH + 1, "lab_recursion_step"));
    add(all, "lab_recursion_leaf");
  }

  private void callbacks() {
    List<String> start = new ArrayList<>(Chain.WORKER);
    start.add("Callbacks.run");
    for (int level = LEVELS; level > 0; level--) {
      start.add("native:Callbacks.down");
      start.add(entry("Callbacks", "down"));
      along(start, "lab_callback_descend", "lab_callback_to_java");
      start.addAll(
          List.of(
              "lab_callback_descend",
              "lab_callback_to_java",
              "libjvm+",
              "stub",
              level % 3 == 1 ? "Callbacks.upStatic" : "Callbacks.up",
              "Callbacks.further"));
    }
    start.add("native:Callbacks.down");
    start.add(entry("Callbacks", "down"));
    along(start, "lab_callback_descend", "lab_callback_bottom", "lab_callback_leaf");
  }

  private void signals() {
    List<String> start = phase("Signals", "run");
    along(start, "lab_signal_outer", "lab_signal_victim", "lab_signal_victim_leaf");
    // Where the signal may hit; the trampoline is libc's, and so is what raises the signal.
    List<List<String>> interrupted =
        List.of(
            List.of("lab_signal_outer"),
            List.of("lab_signal_outer", ".*plt.*"),
            List.of("lab_signal_outer", "lab_signal_victim"),
            List.of("lab_signal_outer", "lab_signal_victim", ".*plt.*"),
            List.of("lab_signal_outer", "lab_signal_victim", "lab_signal_victim_leaf"));
    for (List<String> where : interrupted) {
      List<String> handling = new ArrayList<>(start);
      handling.addAll(where);
      handling.add("libc+");
      along(handling, "lab_signal_handler", "lab_signal_burn", "lab_signal_burn_leaf");
    }
  }

  private void threads() {
    along(phase("NativeThreads", "run"));
    List<String> thread = List.of("libc+");
    along(thread, "lab_thread_main", "lab_thread_burn", "lab_thread_burn_leaf");
    along(thread, "lab_thread_main", "lab_thread_attached");
    List<String> attached = new ArrayList<>(thread);
    attached.addAll(
        List.of(
            "lab_thread_main",
            "lab_thread_attached",
            "libjvm+",
            "stub",
            "NativeThreads.inside",
            "native:NativeThreads.burn",
            entry("NativeThreads", "burn")));
    along(attached, "lab_thread_burn", "lab_thread_burn_leaf");
  }

  /** From the thread's entry to a phase's C entry point. */
  private static List<String> phase(String phase, String method) {
    List<String> start = new ArrayList<>(Chain.WORKER);
    start.add(phase + ".run");
    start.add("native:" + phase + "." + method);
    start.add(entry(phase, method));
    return start;
  }

  private static String entry(String phase, String method) {
    return "Java_stackweave_samples_lab_phase_" + phase + "_" + method;
  }

  /** Adds the chain to the end of {@code start}, and one more for each further function. */
  private void along(List<String> start, String... functions) {
    List<String> chain = new ArrayList<>(start);
    register(chain);
    for (String function : functions) {
      chain.add(function);
      register(chain);
    }
  }

  private void add(List<String> start, String function) {
    List<String> chain = new ArrayList<>(start);
    chain.add(function);
    register(chain);
  }

  private void register(List<String> chain) {
    String innermost = chain.get(chain.size() - 1).replace("+", "");
    chains.computeIfAbsent(innermost, key -> new ArrayList<>()).add(Chain.of(chain));
  }
}
