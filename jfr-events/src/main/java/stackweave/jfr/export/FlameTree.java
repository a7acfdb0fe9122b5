package stackweave.jfr.export;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.unwind.hash.LongIndex;

/**
 * The stacks of a profile, merged from the thread's first frame on. Frames with equal text and
 * callers are one node, whatever their kinds, since a method is first interpreted and later
 * compiled.
 */
final class FlameTree {
  /** Limit of nodes: more than a screen can show, fewer than would slow down a browser. */
  static final int MAX_NODES = 250_000;

  private static final int CATEGORIES = FrameCategory.values().length;
  private static final String ALL = "all";

  private final List<String> names = new ArrayList<>();
  private final Map<String, Integer> nameIds = new HashMap<>();

  /** Index by parent and name, both int, combined in a long. */
  private final LongIndex index = new LongIndex();

  private int count;
  private int[] parents = new int[1_024];
  private int[] nodeNames = new int[1_024];
  private long[] selfCounts = new long[1_024];
  private long[] selfNanos = new long[1_024];
  private long[] totals = new long[1_024];
  private long[][] categoryCounts = new long[1_024][];

  /** Samples of nodes whose frames were guessed, by how; few nodes have any. */
  private final Map<Integer, Map<String, Long>> guesses = new HashMap<>();

  private int leftOut;
  private long smallest;

  FlameTree(SampledRecording recording, boolean threads) {
    FrameCache<Integer> frameNames = new FrameCache<>(frame -> nameId(frame.text()));
    FrameCache<FrameCategory> categories = new FrameCache<>(FrameCategory::of);
    node(-1, nameId(ALL));
    recording.forEachStack(
        (thread, end, frames, samples, weightNanos) -> {
          int node = enter(0, FrameCategory.MARKER, samples);
          if (threads) {
            node = child(node, "[" + thread.text() + "]", samples);
          }
          if (end.marker(frames.size()).isPresent()) {
            node = child(node, end.marker(frames.size()).get(), samples);
          }
          for (SampledFrame frame : frames) {
            Integer name = frameNames.get(frame);
            FrameCategory category = categories.get(frame);
            node = enter(node(node, name), category, samples);
            if (frame.found().isGuess()) {
              guesses
                  .computeIfAbsent(node, guessed -> new TreeMap<>())
                  .merge(frame.found().label(), samples, Long::sum);
            }
          }
          selfCounts[node] += samples;
          selfNanos[node] += weightNanos;
        });
    prune();
  }

  private int child(int parent, String name, long samples) {
    return enter(node(parent, nameId(name)), FrameCategory.MARKER, samples);
  }

  private int enter(int node, FrameCategory category, long samples) {
    totals[node] += samples;
    if (categoryCounts[node] == null) {
      categoryCounts[node] = new long[CATEGORIES];
    }
    categoryCounts[node][category.ordinal()] += samples;
    return node;
  }

  private int nameId(String name) {
    Integer id = nameIds.get(name);
    if (id == null) {
      id = names.size();
      names.add(name);
      nameIds.put(name, id);
    }
    return id;
  }

  private int node(int parent, int name) {
    long key = ((long) parent << 32) | name;
    int node = index.add(key);
    if (node < count) {
      return node;
    }
    if (count == parents.length) {
      int capacity = 2 * count;
      parents = Arrays.copyOf(parents, capacity);
      nodeNames = Arrays.copyOf(nodeNames, capacity);
      selfCounts = Arrays.copyOf(selfCounts, capacity);
      selfNanos = Arrays.copyOf(selfNanos, capacity);
      totals = Arrays.copyOf(totals, capacity);
      categoryCounts = Arrays.copyOf(categoryCounts, capacity);
    }
    parents[count] = parent;
    nodeNames[count] = name;
    return count++;
  }

  /**
   * If there are too many nodes, replaces those with the fewest samples by one node under each of
   * their callers.
   */
  private void prune() {
    if (count <= MAX_NODES) {
      return;
    }
    long[] sorted = Arrays.copyOf(totals, count);
    Arrays.sort(sorted);
    smallest = sorted[count - MAX_NODES] + 1;
    int before = count;
    int rest = nameId("[fewer than " + smallest + " samples]");
    // Parents come before children: a node whose caller is left out is left out, too.
    for (int node = before - 1; node > 0; node--) {
      if (totals[node] < smallest) {
        leftOut++;
        if (totals[parents[node]] >= smallest) {
          int small = node(parents[node], rest);
          enter(small, FrameCategory.MARKER, totals[node]);
          selfCounts[small] += totals[node];
          selfNanos[small] += nanosBelow(node, before);
        }
      }
    }
  }

  private long[] nanosBelow;

  private long nanosBelow(int node, int nodes) {
    if (nanosBelow == null) {
      nanosBelow = Arrays.copyOf(selfNanos, nodes);
      for (int i = nodes - 1; i > 0; i--) {
        nanosBelow[parents[i]] += nanosBelow[i];
      }
    }
    return nanosBelow[node];
  }

  boolean isLeftOut(int node) {
    return smallest > 0 && totals[node] < smallest && !isRest(node);
  }

  private boolean isRest(int node) {
    return names.get(nodeNames[node]).startsWith("[fewer than ");
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

  List<String> names() {
    return names;
  }

  int parent(int node) {
    return parents[node];
  }

  int name(int node) {
    return nodeNames[node];
  }

  long total(int node) {
    return totals[node];
  }

  long self(int node) {
    return selfCounts[node];
  }

  long selfNanos(int node) {
    return selfNanos[node];
  }

  /** Samples in which the node's frame was guessed, by the label of how. */
  Map<String, Long> guesses(int node) {
    return guesses.getOrDefault(node, Map.of());
  }

  /** Samples of the node by category. */
  long[] categories(int node) {
    return categoryCounts[node];
  }
}
