package stackweave.jfr.export.flamegraph;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.Protobuf;
import stackweave.jfr.read.FoundWay;
import stackweave.jfr.read.time.TimeCells;

/**
 * Encodes a flame tree for the page as numbers (LEB128) and texts (the number of bytes, UTF-8),
 * deflated, in Base64. data.js decodes it; each part begins with its number of entries:
 *
 * <ol>
 *   <li>strings
 *   <li>modules: path, build id, origin of unwind rules; three texts
 *   <li>ways of finding frames: label, 1 for guesses
 *   <li>functions: string, category, string of the origin, module + 1
 *   <li>frames: function, line, way
 *   <li>nodes in preorder, the widest first: levels up from the node before to its caller, frame
 *   <li>threads: text, OS id, number of the process
 *   <li>states: text
 *   <li>stacks by node: nodes since the one before, thread, state, 2 × cells + 1 if it is of the
 *       recording compared with, samples, µs, and by how many hundredths the mean of the squares of
 *       weights is above the square of their mean; for each cell its distance from the one before,
 *       samples, µs
 * </ol>
 */
final class FlameData {
  private static final long NANOS_PER_MICRO = 1_000;

  private final FlameTree tree;

  /** The divisor of weights: times are written in microseconds, counts as they are. */
  private final long divisor;

  private final int[] order;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** The width of a cell in ns; 0 if times are not known. */
  long cellNanos;

  /** When the first cell begins, in ns since 1970. */
  long startNanos;

  /** The number of cells; 0 if times are not known. */
  long cells;

  /**
   * @param ofTime whether the weights are times
   */
  FlameData(FlameTree tree, boolean ofTime) {
    this.tree = tree;
    this.divisor = ofTime ? NANOS_PER_MICRO : 1;
    List<String> strings = tree.strings.entries();
    number(strings.size());
    strings.forEach(this::text);
    order = new int[tree.count()];
    findCells();
    writeFrames();
    writeTree();
    writeThreads();
    writeStacks();
  }

  String base64() throws IOException {
    ByteArrayOutputStream small = new ByteArrayOutputStream();
    Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION);
    try (OutputStream out = new DeflaterOutputStream(small, deflater)) {
      bytes.writeTo(out);
    } finally {
      deflater.end();
    }
    return Base64.getEncoder().encodeToString(small.toByteArray());
  }

  /** Finds one cell width for all recordings; each width is a multiple of the smaller ones. */
  private void findCells() {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (FlameTree.Stack stack : tree.stacks) {
      TimeCells own = stack.cells();
      if (stack.isBefore() || own == null) {
        continue;
      }
      cellNanos = Math.max(cellNanos, own.widthNanos());
      first = Math.min(first, own.startNanos());
      last = Math.max(last, own.startNanos() + (own.count() - 1) * own.widthNanos());
    }
    if (cellNanos == 0) {
      return;
    }
    while ((last - first) / cellNanos >= TimeCells.MAX_CELLS) {
      cellNanos *= 2;
    }
    startNanos = first;
    cells = (last - first) / cellNanos + 1;
  }

  private void writeFrames() {
    number(tree.modules.entries().size());
    for (FlameTree.Module module : tree.modules.entries()) {
      text(module.path());
      text(module.buildId());
      text(module.unwindSource());
    }
    number(tree.founds.entries().size());
    for (FoundWay way : tree.founds.entries()) {
      text(way.label());
      number(way.isGuess() ? 1 : 0);
    }
    number(tree.functions.entries().size());
    for (FlameTree.Function function : tree.functions.entries()) {
      number(function.text());
      number(function.category().ordinal());
      number(function.origin());
      number(function.module() + 1L);
    }
    number(tree.looks.entries().size());
    for (FlameTree.Look look : tree.looks.entries()) {
      number(look.function());
      number(look.line());
      number(look.found());
    }
  }

  private void writeTree() {
    int[] level = new int[tree.count()];
    List<Integer> sorted = new ArrayList<>();
    for (int node = 1; node < level.length; node++) {
      level[node] = level[tree.parent(node)] + 1;
      if (!tree.isLeftOut(node)) {
        sorted.add(node);
      }
    }
    Comparator<Integer> narrowest = Comparator.comparingLong(tree::total);
    sorted.sort(Comparator.comparingInt(tree::parent).thenComparing(narrowest));
    int[] firstChild = new int[tree.count()];
    for (int i = sorted.size() - 1; i >= 0; i--) {
      firstChild[tree.parent(sorted.get(i))] = i;
    }
    number(sorted.size() + 1);
    int number = 0;
    int levelBefore = -1;
    Deque<Integer> next = new ArrayDeque<>(List.of(0));
    while (!next.isEmpty()) {
      int node = next.pop();
      number(levelBefore + 1 - level[node]);
      number(tree.look(node));
      order[node] = number++;
      levelBefore = level[node];
      for (int i = firstChild[node]; i < sorted.size() && tree.parent(sorted.get(i)) == node; i++) {
        next.push(sorted.get(i));
      }
    }
  }

  private void writeThreads() {
    Map<String, Integer> processes = new HashMap<>();
    number(tree.threads.size());
    for (FlameTree.Thread thread : tree.threads) {
      text(thread.name().text());
      number(thread.osThreadId());
      number(processes.computeIfAbsent(thread.process(), any -> processes.size()));
    }
    number(tree.states.entries().size());
    for (String state : tree.states.entries()) {
      text(state);
    }
  }

  private void writeStacks() {
    // Grouped by what the page can distinguish.
    Map<FlameTree.Stack, List<FlameTree.Stack>> groups =
        new TreeMap<>(
            Comparator.comparingInt((FlameTree.Stack stack) -> order[stack.node()])
                .thenComparing(FlameTree.Stack::thread)
                .thenComparing(FlameTree.Stack::state)
                .thenComparing(FlameTree.Stack::isBefore));
    for (FlameTree.Stack stack : tree.stacks) {
      groups.computeIfAbsent(stack, first -> new ArrayList<>()).add(stack);
    }
    number(groups.size());
    int before = 0;
    for (List<FlameTree.Stack> same : groups.values()) {
      int node = order[same.get(0).node()];
      number(node - before);
      before = node;
      writeStack(same);
    }
  }

  /** Writes stacks that the page can't distinguish as one. */
  private void writeStack(List<FlameTree.Stack> same) {
    long count = 0;
    long nanos = 0;
    double squares = 0;
    TreeMap<Long, long[]> byCell = new TreeMap<>();
    for (FlameTree.Stack stack : same) {
      count += stack.count();
      nanos += stack.nanos();
      squares += stack.squares();
      TimeCells own = stack.cells();
      if (own == null || stack.isBefore()) {
        continue;
      }
      own.forEach(
          stack.series(),
          (cell, samples, weight) -> {
            long at = (own.startNanos() - startNanos + cell * own.widthNanos()) / cellNanos;
            long[] sum = byCell.computeIfAbsent(at, key -> new long[2]);
            sum[0] += samples;
            sum[1] += weight;
          });
    }
    FlameTree.Stack stack = same.get(0);
    number(stack.thread());
    number(stack.state());
    number(2L * byCell.size() + (stack.isBefore() ? 1 : 0));
    number(count);
    number(written(nanos));
    number(scatter(count, nanos, squares));
    long at = 0;
    for (Map.Entry<Long, long[]> cell : byCell.entrySet()) {
      number(cell.getKey() - at);
      number(cell.getValue()[0]);
      number(written(cell.getValue()[1]));
      at = cell.getKey();
    }
  }

  private static long scatter(long count, double nanos, double squares) {
    return nanos <= 0 ? 0 : Math.max(0, Math.round(100 * (squares / nanos * count / nanos - 1)));
  }

  private long written(long weight) {
    return Math.max(0, weight) / divisor;
  }

  private void text(String raw) {
    byte[] utf8 = Names.encodable(raw).getBytes(StandardCharsets.UTF_8);
    number(utf8.length);
    bytes.writeBytes(utf8);
  }

  private void number(long value) {
    Protobuf.varint(bytes, value);
  }
}
