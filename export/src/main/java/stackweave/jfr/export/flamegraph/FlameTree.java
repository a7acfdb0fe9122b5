package stackweave.jfr.export.flamegraph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.FrameCache;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.export.Index;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.export.thread.ThreadKey;
import stackweave.jfr.read.FoundWay;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.read.time.CellSeries;
import stackweave.jfr.read.time.TimeCells;
import stackweave.unwind.hash.LongIndex;

/**
 * The stacks of profiles as a tree from the thread's first frame on, for {@link FlameData}. A node
 * is a frame with its callers; frames that differ only in what the page does not show, such as the
 * address in a function, are one. Holds nodes and the distinct stacks, whatever the number of
 * samples.
 */
final class FlameTree {
  /** Limit of nodes: more than a screen can show, fewer than would slow down a browser. */
  static final int MAX_NODES = 800_000;

  private static final String ALL = "all";
  private static final String REST = "[summed up: few samples]";
  private static final int NO_MODULE = -1;

  /**
   * The common properties of all frames of a method and kind.
   *
   * @param text id of its text in all exports
   * @param origin id of the name under which it is counted, such as the library's
   * @param module id of its module; -1 for none
   */
  record Function(int text, FrameCategory category, int origin, int module) {}

  /** The properties of a module that the page shows; its address differs in each run. */
  record Module(String path, String buildId, String unwindSource) {}

  /** A function, its line (0 for none), and the way in which it was found. */
  record Look(int function, int line, int found) {}

  /**
   * The samples of a stack.
   *
   * @param node its innermost frame
   * @param isBefore whether it is of the earlier recording of a comparison
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

  final Index<String> strings = new Index<>(0);
  final Index<Function> functions = new Index<>(0);
  final Index<Module> modules = new Index<>(0);
  final Index<FoundWay> founds = new Index<>(0);
  final Index<String> states = new Index<>(0);
  final Index<Look> looks = new Index<>(0);
  final List<Thread> threads = new ArrayList<>();
  final List<Stack> stacks = new ArrayList<>();
  private final Index<Object> threadKeys = new Index<>(0);

  /** Nodes by parent and look, both int, combined in a long. */
  private final LongIndex nodes = new LongIndex();

  private long[] totals = new long[1_024];

  private final boolean byThread;
  private final boolean isCompared;
  private final boolean byTime;

  /** The number of nodes that were left out, those of the smallest shares. */
  int leftOut;

  /** The largest share of its recording that a node left out has, from 0 to 1. */
  double largestLeftOut;

  private boolean[] isCut = {};

  /**
   * @param byThread whether each stack begins with its thread
   * @param isCompared whether parts of names that differ from run to run are removed
   * @param byTime whether nodes are as wide as the time of their samples, instead of their number
   */
  FlameTree(boolean byThread, boolean isCompared, boolean byTime) {
    this.byTime = byTime;
    this.byThread = byThread;
    this.isCompared = isCompared;
    founds.of(FoundWay.TABLES);
    node(-1, marker(ALL));
  }

  /**
   * Adds the stacks of a profile.
   *
   * @param isBefore whether it is the earlier one of a comparison
   */
  void add(Profile profile, boolean isBefore) {
    FrameCache<Integer> functionOf = new FrameCache<>(this::function);
    TimeCells cells = profile.cells().orElse(null);
    profile.forEachStackSum(
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
            Look look = new Look(functionOf.get(frame), frame.line(), founds.of(frame.found()));
            node = enter(node(node, looks.of(look)), width);
          }
          stacks.add(
              new Stack(
                  node,
                  thread(sum.session().uuid(), sum.thread()),
                  states.of(sum.state()),
                  isBefore,
                  sum.count(),
                  sum.weightNanos(),
                  sum.squares(),
                  cells,
                  series));
        });
  }

  /** Virtual threads of the same name, or without any, are one, since there may be thousands. */
  private int thread(String process, StackThread thread) {
    Object key =
        thread.isVirtual()
            ? List.of(process, thread.text())
            : new ThreadKey(process, thread.identity());
    int id = threadKeys.of(key);
    if (id == threads.size()) {
      long osThreadId = thread.isVirtual() ? 0 : thread.osThreadId();
      threads.add(new Thread(process, new CommonName(thread.text()), osThreadId));
    }
    threads.get(id).name().add(thread.text());
    return id;
  }

  private int function(SampledFrame frame) {
    SampledModule module = frame.method().module();
    return functions.of(
        new Function(
            strings.of(isCompared ? Names.ofAllRuns(frame.text()) : frame.text()),
            FrameCategory.of(frame),
            strings.of(CodeOrigin.of(frame)),
            module == null
                ? NO_MODULE
                : modules.of(new Module(module.path(), module.buildId(), module.unwindSource()))));
  }

  private int marker(String name) {
    int text = strings.of(name);
    int origin = strings.of(CodeOrigin.UNKNOWN);
    Function function = new Function(text, FrameCategory.MARKER, origin, NO_MODULE);
    return looks.of(new Look(functions.of(function), 0, 0));
  }

  private int child(int parent, String name, long width) {
    return enter(node(parent, marker(name)), width);
  }

  private int enter(int node, long width) {
    totals[node] += width;
    return node;
  }

  private int node(int parent, int look) {
    int node = nodes.add((long) parent << 32 | look);
    if (node == totals.length) {
      totals = Arrays.copyOf(totals, 2 * node);
    }
    return node;
  }

  /**
   * If there are more nodes than {@code most}, replaces those of the smallest share by one node
   * under each of their callers. In a comparison the larger of a node's two shares counts. To be
   * called once, after all recordings were added.
   */
  void prune(int most) {
    int before = count();
    if (before <= most) {
      return;
    }
    isCut = new boolean[before];
    boolean[] hasRest = new boolean[before];
    int left = before;
    long[] order = byShare();
    for (int i = 0; left > most && i < before - 1; i++) {
      int node = nodeOf(order[i]);
      isCut[node] = true;
      leftOut++;
      left -= hasRest[node] ? 2 : 1;
      // A caller is cut after all that it calls.
      left += hasRest[parent(node)] ? 0 : 1;
      hasRest[parent(node)] = true;
      largestLeftOut = Float.intBitsToFloat((int) (order[i] >>> 32));
    }
    int rest = marker(REST);
    int[] instead = new int[before];
    for (int node = 0; node < before; node++) {
      instead[node] = node;
      if (isCut[node]) {
        int caller = instead[parent(node)];
        instead[node] = isCut[parent(node)] ? caller : enter(node(caller, rest), totals[node]);
      }
    }
    stacks.replaceAll(stack -> stack.at(instead[stack.node]));
  }

  /** The nodes by ascending share; of equal shares the later node first. */
  private long[] byShare() {
    double[][] sums = new double[2][count()];
    for (Stack stack : stacks) {
      sums[stack.isBefore ? 1 : 0][stack.node] += byTime ? stack.nanos : stack.count;
    }
    for (double[] side : sums) {
      for (int node = count() - 1; node > 0; node--) {
        side[parent(node)] += side[node];
      }
    }
    long[] order = new long[count()];
    for (int node = 0; node < order.length; node++) {
      double share = Math.max(share(sums[0], node), share(sums[1], node));
      order[node] = (long) Float.floatToIntBits((float) share) << 32 | Integer.MAX_VALUE - node;
    }
    Arrays.sort(order);
    return order;
  }

  private static double share(double[] sums, int node) {
    return sums[0] > 0 ? sums[node] / sums[0] : 0;
  }

  private static int nodeOf(long shareAndNode) {
    return Integer.MAX_VALUE - (int) shareAndNode;
  }

  boolean isLeftOut(int node) {
    return node < isCut.length && isCut[node];
  }

  int count() {
    return nodes.count();
  }

  int parent(int node) {
    return (int) (nodes.key(node) >> 32);
  }

  /** The index in {@link #looks} of a node's frame. */
  int look(int node) {
    return (int) nodes.key(node);
  }

  long total(int node) {
    return totals[node];
  }
}
