package stackweave.jfr.export;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.read.FoundWay;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.read.time.CellSeries;
import stackweave.jfr.read.time.TimeCells;
import stackweave.unwind.hash.LongIndex;

/**
 * The stacks of recordings as a tree from the thread's first frame on, for {@link FlameData}. A
 * node is a frame with its callers; frames that differ only in what the page does not show, such as
 * the address in a function, are one. Holds nodes and the distinct stacks, whatever the number of
 * samples.
 */
final class FlameTree {
  /** Limit of nodes: more than a screen can show, fewer than would slow down a browser. */
  static final int MAX_NODES = 800_000;

  private static final String ALL = "all";
  private static final int NO_MODULE = -1;

  /**
   * What all frames of a method and kind have in common.
   *
   * @param text id of its text in all exports
   * @param origin id of the name of the library, or what else it is counted under
   * @param module id of its module; -1 for none
   */
  record Function(int text, FrameCategory category, int origin, int module) {}

  /** A function, its line (0 for none), and the way in which it was found. */
  record Look(int function, int line, int found) {}

  /**
   * The samples of a stack.
   *
   * @param node its innermost frame
   * @param isBefore whether it is of the recording that another one is compared with
   * @param squares sum of the squares of weights, in ns²
   * @param cells null if times are not known
   */
  record Stack(
      int node,
      int thread,
      int state,
      boolean isBefore,
      long count,
      long nanos,
      double squares,
      TimeCells cells,
      CellSeries series) {}

  /** A thread of a process, by the text of all exports. */
  record Thread(String process, String text, long osThreadId) {}

  private final Map<String, Integer> stringIds = new HashMap<>();
  private final List<String> strings = new ArrayList<>();
  private final Map<Object, Integer> ids = new HashMap<>();
  private final List<Function> functions = new ArrayList<>();
  private final List<SampledModule> modules = new ArrayList<>();
  private final List<FoundWay> founds = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<String> states = new ArrayList<>();
  private final List<Stack> stacks = new ArrayList<>();

  private final LongIndex lookIndex = new LongIndex();
  private final List<Look> looks = new ArrayList<>();

  /** Index by parent and look, both int, combined in a long. */
  private final LongIndex index = new LongIndex();

  private int count;
  private int[] parents = new int[1_024];
  private int[] nodeLooks = new int[1_024];
  private long[] totals = new long[1_024];

  private final boolean byThread;
  private final boolean isCompared;
  private int leftOut;
  private long smallest;
  private int rest = -1;

  /**
   * @param byThread whether each stack begins with its thread
   * @param isCompared whether names are those of all runs
   */
  FlameTree(boolean byThread, boolean isCompared) {
    this.byThread = byThread;
    this.isCompared = isCompared;
    founds.add(FoundWay.TABLES);
    ids.put(FoundWay.TABLES, 0);
    node(-1, marker(ALL));
  }

  /**
   * Adds the stacks of a recording.
   *
   * @param isBefore whether the others are compared with it
   */
  void add(SampledRecording recording, boolean isBefore) {
    FrameCache<Integer> functionOf = new FrameCache<>(this::function);
    TimeCells cells = recording.cells().orElse(null);
    recording.forEachStackSum(
        (sum, series) -> {
          int node = enter(0, sum.count());
          if (byThread) {
            node = child(node, "[" + sum.thread().text() + "]", sum.count());
          }
          if (sum.end().marker(sum.frames().size()).isPresent()) {
            node = child(node, sum.end().marker(sum.frames().size()).get(), sum.count());
          }
          for (SampledFrame frame : sum.frames()) {
            int found = frame.found().equals(FoundWay.TABLES) ? 0 : id(founds, frame.found());
            node = enter(node(node, look(functionOf.get(frame), frame.line(), found)), sum.count());
          }
          stacks.add(
              new Stack(
                  node,
                  id(threads, thread(sum.session().uuid(), sum.thread())),
                  id(states, sum.state()),
                  isBefore,
                  sum.count(),
                  sum.weightNanos(),
                  sum.squares(),
                  cells,
                  series));
        });
  }

  /** Virtual threads without a name are one, since there may be thousands. */
  private static Thread thread(String process, StackThread thread) {
    return new Thread(process, thread.text(), thread.isVirtual() ? 0 : thread.osThreadId());
  }

  private int function(SampledFrame frame) {
    SampledModule module = frame.method().module();
    functions.add(
        new Function(
            string(isCompared ? Names.ofAllRuns(frame.text()) : frame.text()),
            FrameCategory.of(frame),
            string(CodeOrigin.of(frame)),
            module == null ? NO_MODULE : id(modules, module)));
    return functions.size() - 1;
  }

  private int marker(String name) {
    Integer known = ids.get(name);
    if (known == null) {
      functions.add(
          new Function(string(name), FrameCategory.MARKER, string(CodeOrigin.UNKNOWN), NO_MODULE));
      known = look(functions.size() - 1, 0, 0);
      ids.put(name, known);
    }
    return known;
  }

  private int child(int parent, String name, long samples) {
    return enter(node(parent, marker(name)), samples);
  }

  private int enter(int node, long samples) {
    totals[node] += samples;
    return node;
  }

  private int look(int function, int line, int found) {
    int look = lookIndex.add((long) function << 40 | (long) found << 32 | line);
    if (look == looks.size()) {
      looks.add(new Look(function, line, found));
    }
    return look;
  }

  private int string(String text) {
    Integer id = stringIds.putIfAbsent(text, strings.size());
    if (id == null) {
      strings.add(text);
      return strings.size() - 1;
    }
    return id;
  }

  private <T> int id(List<T> list, T value) {
    // A state's text may be that of a marker.
    Object key = value instanceof String ? List.of(value) : value;
    Integer id = ids.putIfAbsent(key, list.size());
    if (id == null) {
      list.add(value);
      return list.size() - 1;
    }
    return id;
  }

  private int node(int parent, int look) {
    int node = index.add((long) parent << 32 | look);
    if (node < count) {
      return node;
    }
    if (count == parents.length) {
      int capacity = 2 * count;
      parents = Arrays.copyOf(parents, capacity);
      nodeLooks = Arrays.copyOf(nodeLooks, capacity);
      totals = Arrays.copyOf(totals, capacity);
    }
    parents[count] = parent;
    nodeLooks[count] = look;
    return count++;
  }

  /**
   * If there are too many nodes, replaces those with the fewest samples by one node under each of
   * their callers. Call it once, after all were added.
   */
  void prune() {
    if (count <= MAX_NODES) {
      return;
    }
    long[] sorted = Arrays.copyOf(totals, count);
    Arrays.sort(sorted);
    smallest = sorted[count - MAX_NODES] + 1;
    int before = count;
    rest = marker("[fewer than " + smallest + " samples]");
    int[] instead = new int[before];
    // Parents come before children: a node whose caller is left out is left out, too.
    for (int node = 0; node < before; node++) {
      instead[node] = node;
      if (node > 0 && totals[node] < smallest) {
        leftOut++;
        int caller = instead[parents[node]];
        boolean isFirst = totals[parents[node]] >= smallest;
        instead[node] = isFirst ? enter(node(caller, rest), totals[node]) : caller;
      }
    }
    for (int i = 0; i < stacks.size(); i++) {
      Stack stack = stacks.get(i);
      stacks.set(
          i,
          new Stack(
              instead[stack.node],
              stack.thread,
              stack.state,
              stack.isBefore,
              stack.count,
              stack.nanos,
              stack.squares,
              stack.cells,
              stack.series));
    }
  }

  boolean isLeftOut(int node) {
    return smallest > 0 && totals[node] < smallest && nodeLooks[node] != rest;
  }

  /** The number of nodes left out because they have the fewest samples. */
  int leftOut() {
    return leftOut;
  }

  /** The fewest samples of a node that was kept; 0 if all were. */
  long smallest() {
    return smallest;
  }

  int count() {
    return count;
  }

  int parent(int node) {
    return parents[node];
  }

  /** The index in {@link #looks} of a node's frame. */
  int look(int node) {
    return nodeLooks[node];
  }

  long total(int node) {
    return totals[node];
  }

  /** The index in {@link #strings} of the text of a node's frame. */
  int textId(int node) {
    return functions.get(looks.get(nodeLooks[node]).function()).text();
  }

  List<String> strings() {
    return strings;
  }

  List<SampledModule> modules() {
    return modules;
  }

  List<FoundWay> founds() {
    return founds;
  }

  List<Function> functions() {
    return functions;
  }

  List<Look> looks() {
    return looks;
  }

  List<Thread> threads() {
    return threads;
  }

  List<String> states() {
    return states;
  }

  List<Stack> stacks() {
    return stacks;
  }
}
