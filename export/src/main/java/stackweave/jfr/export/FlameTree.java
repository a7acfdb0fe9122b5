package stackweave.jfr.export;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.export.thread.ThreadKey;
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
  private static final String REST = "[summed up: few samples]";
  private static final int NO_MODULE = -1;

  /**
   * What all frames of a method and kind have in common.
   *
   * @param text id of its text in all exports
   * @param origin id of the name of the library, or what else it is counted under
   * @param module id of its module; -1 for none
   */
  record Function(int text, FrameCategory category, int origin, int module) {}

  /** What the page shows of a module, which is elsewhere in memory in each run. */
  record Module(String path, String buildId, String unwindSource) {}

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
      CellSeries series) {
    Stack at(int other) {
      return new Stack(other, thread, state, isBefore, count, nanos, squares, cells, series);
    }
  }

  /** A thread of a process. */
  record Thread(String process, CommonName name, long osThreadId) {}

  private final Map<String, Integer> stringIds = new HashMap<>();

  final List<String> strings = new ArrayList<>();
  private final Map<Object, Integer> ids = new HashMap<>();
  final List<Function> functions = new ArrayList<>();
  final List<Module> modules = new ArrayList<>();
  final List<FoundWay> founds = new ArrayList<>();
  final List<Thread> threads = new ArrayList<>();
  final List<String> states = new ArrayList<>();
  final List<Stack> stacks = new ArrayList<>();

  private final LongIndex lookIndex = new LongIndex();
  final List<Look> looks = new ArrayList<>();

  /** Index by parent and look, both int, combined in a long. */
  private final LongIndex index = new LongIndex();

  private int count;
  private int[] parents = new int[1_024];
  private int[] nodeLooks = new int[1_024];
  private long[] totals = new long[1_024];

  private final boolean byThread;
  private final boolean isCompared;
  private final boolean byTime;
  private int leftOut;
  private float largestCut;
  private boolean[] isCut = {};

  /**
   * @param byThread whether each stack begins with its thread
   * @param isCompared whether names are those of all runs
   * @param byTime whether nodes are as wide as the time of their samples, instead of their number
   */
  FlameTree(boolean byThread, boolean isCompared, boolean byTime) {
    this.byTime = byTime;
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
          long width = byTime ? sum.weightNanos() : sum.count();
          int node = enter(0, width);
          if (byThread) {
            node = child(node, "[" + sum.thread().text() + "]", width);
          }
          if (sum.end().marker(sum.frames().size()).isPresent()) {
            node = child(node, sum.end().marker(sum.frames().size()).get(), width);
          }
          for (SampledFrame frame : sum.frames()) {
            int found = frame.found().equals(FoundWay.TABLES) ? 0 : id(founds, frame.found());
            node = enter(node(node, look(functionOf.get(frame), frame.line(), found)), width);
          }
          stacks.add(
              new Stack(
                  node,
                  thread(sum.session().uuid(), sum.thread()),
                  id(states, sum.state()),
                  isBefore,
                  sum.count(),
                  sum.weightNanos(),
                  sum.squares(),
                  cells,
                  series));
        });
  }

  /** Virtual threads of one name, or without any, are one, since there may be thousands. */
  private int thread(String process, StackThread thread) {
    Object key =
        thread.isVirtual()
            ? List.of(process, thread.text())
            : new ThreadKey(process, thread.identity());
    Integer id = ids.putIfAbsent(key, threads.size());
    if (id != null) {
      threads.get(id).name().add(thread.text());
      return id;
    }
    long osThreadId = thread.isVirtual() ? 0 : thread.osThreadId();
    threads.add(new Thread(process, new CommonName(thread.text()), osThreadId));
    return threads.size() - 1;
  }

  private int function(SampledFrame frame) {
    SampledModule module = frame.method().module();
    return id(
        functions,
        new Function(
            string(isCompared ? Names.ofAllRuns(frame.text()) : frame.text()),
            FrameCategory.of(frame),
            string(CodeOrigin.of(frame)),
            module == null
                ? NO_MODULE
                : id(modules, new Module(module.path(), module.buildId(), module.unwindSource()))));
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

  private int child(int parent, String name, long width) {
    return enter(node(parent, marker(name)), width);
  }

  private int enter(int node, long width) {
    totals[node] += width;
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
   * If there are more nodes than {@code most}, replaces those of the smallest share by one node
   * under each of their callers. Nodes that differ only in what a comparison of names does not see,
   * such as lines, are kept or left out together, by the larger of their shares of the two
   * recordings: else the shorter one would lose more of a function. Call it once, after all were
   * added.
   */
  void prune(int most) {
    if (count <= most) {
      return;
    }
    int[] group = new int[count];
    int[] next = new int[count];
    int[] heads = groups(group, next);
    long[] order = byShare(group, heads.length);
    int before = count;
    isCut = new boolean[before];
    boolean[] hasRest = new boolean[before];
    int left = before;
    int cut = 0;
    for (; left > most && cut < order.length - 1; cut++) {
      for (int node = heads[groupOf(order[cut])]; node >= 0; node = next[node]) {
        isCut[node] = true;
        leftOut++;
        left -= hasRest[node] ? 2 : 1;
        // Callers are cut after all that they call.
        left += hasRest[parents[node]] ? 0 : 1;
        hasRest[parents[node]] = true;
      }
    }
    largestCut = Float.intBitsToFloat((int) (order[cut - 1] >>> 32));
    int rest = marker(REST);
    int[] instead = new int[before];
    for (int node = 0; node < before; node++) {
      instead[node] = node;
      if (isCut[node]) {
        int caller = instead[parents[node]];
        instead[node] = isCut[parents[node]] ? caller : enter(node(caller, rest), totals[node]);
      }
    }
    stacks.replaceAll(stack -> stack.at(instead[stack.node]));
  }

  /**
   * Groups nodes of equal texts with equal callers; a caller's group has a lower number.
   *
   * @param group filled with the group of each node
   * @param next filled with another node of the group; -1 for none
   * @return a node of each group
   */
  private int[] groups(int[] group, int[] next) {
    LongIndex byText = new LongIndex();
    int[] heads = new int[count];
    Arrays.fill(heads, -1);
    int groups = 0;
    for (int node = 0; node < count; node++) {
      long caller = node == 0 ? 0 : group[parents[node]] + 1L;
      group[node] = byText.add(caller << 32 | textId(node));
      groups = Math.max(groups, group[node] + 1);
      next[node] = heads[group[node]];
      heads[group[node]] = node;
    }
    return Arrays.copyOf(heads, groups);
  }

  /** Groups, the smallest share first, the later one first of equal shares. */
  private long[] byShare(int[] group, int groups) {
    double[][] sums = new double[2][count];
    for (Stack stack : stacks) {
      sums[stack.isBefore ? 1 : 0][stack.node] += byTime ? stack.nanos : stack.count;
    }
    double[][] byGroup = new double[2][groups];
    for (int side = 0; side < 2; side++) {
      for (int node = count - 1; node >= 0; node--) {
        byGroup[side][group[node]] += sums[side][node];
        if (node > 0) {
          sums[side][parents[node]] += sums[side][node];
        }
      }
    }
    long[] order = new long[groups];
    for (int i = 0; i < groups; i++) {
      double now = byGroup[0][0] > 0 ? byGroup[0][i] / byGroup[0][0] : 0;
      double then = byGroup[1][0] > 0 ? byGroup[1][i] / byGroup[1][0] : 0;
      float share = (float) Math.max(now, then);
      order[i] = (long) Float.floatToIntBits(share) << 32 | Integer.MAX_VALUE - i;
    }
    Arrays.sort(order);
    return order;
  }

  private static int groupOf(long shareAndGroup) {
    return Integer.MAX_VALUE - (int) shareAndGroup;
  }

  boolean isLeftOut(int node) {
    return node < isCut.length && isCut[node];
  }

  /** The number of nodes left out because they have the smallest shares. */
  int leftOut() {
    return leftOut;
  }

  /** The largest share of its recording that a node left out has, from 0 to 1. */
  double largestLeftOut() {
    return largestCut;
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
}
