package stackweave.jfr.export;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;

/**
 * Encodes a flame tree for the page: names sorted, each with the length of the prefix shared with
 * the one before; nodes in preorder, the widest first, as LEB128 numbers in Base64. A node: levels
 * up from the node before to its caller; name; category · 2, plus 1 if several categories follow as
 * (count, then category and samples each); own samples; if these are not 0, the microseconds that
 * they stand for.
 */
final class FlameData {
  private static final int MAX_PREFIX = 90;
  private static final int PREFIX_ZERO = ' ';

  private final FlameTree tree;
  private final int[] rank;
  private final String[] sortedNames;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final List<Guess> guesses = new ArrayList<>();
  private int nodes;

  /**
   * Frames of a node that were guessed.
   *
   * @param node its place in the order of the tree, from 0
   * @param how label of the way of guessing
   * @param samples how many have the frame so
   */
  record Guess(int node, String how, long samples) {}

  FlameData(FlameTree tree) {
    this.tree = tree;
    List<String> names = tree.names();
    Integer[] order = new Integer[names.size()];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, Comparator.comparing(names::get));
    rank = new int[order.length];
    sortedNames = new String[order.length];
    for (int i = 0; i < order.length; i++) {
      rank[order[i]] = i;
      sortedNames[i] = names.get(order[i]);
    }
    writeTree();
  }

  /**
   * The names; the first character of each encodes the length of the prefix shared with the one
   * before.
   */
  String[] names() {
    String[] packed = new String[sortedNames.length];
    String before = "";
    for (int i = 0; i < packed.length; i++) {
      String name = sortedNames[i];
      int prefix = 0;
      int most = Math.min(MAX_PREFIX, Math.min(before.length(), name.length()));
      while (prefix < most && before.charAt(prefix) == name.charAt(prefix)) {
        prefix++;
      }
      packed[i] = (char) (PREFIX_ZERO + prefix) + name.substring(prefix);
      before = name;
    }
    return packed;
  }

  /** The nodes with guessed frames. */
  List<Guess> guesses() {
    return guesses;
  }

  String tree() {
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  private void writeTree() {
    int count = tree.count();
    boolean[] kept = new boolean[count];
    kept[0] = true;
    int written = 1;
    // A node's children as a list: first child, next sibling, widest first.
    Integer[] byWidth = new Integer[count];
    for (int node = 1; node < count; node++) {
      kept[node] = kept[tree.parent(node)] && !tree.isLeftOut(node);
      written += kept[node] ? 1 : 0;
    }
    Arrays.setAll(byWidth, i -> i);
    // Equal widths in the order of their names, so that the same profile gives the same page.
    Arrays.sort(
        byWidth,
        Comparator.comparingLong((Integer node) -> tree.total(node))
            .thenComparing(node -> rank[tree.name(node)], Comparator.reverseOrder()));
    int[] firstChild = new int[count];
    int[] nextSibling = new int[count];
    for (int node : byWidth) {
      if (node > 0 && kept[node]) {
        nextSibling[node] = firstChild[tree.parent(node)];
        firstChild[tree.parent(node)] = node;
      }
    }
    number(written);
    writeNode(0, 0);
    int node = 0;
    int up = 0;
    while (true) {
      if (firstChild[node] != 0) {
        node = firstChild[node];
      } else {
        while (node != 0 && nextSibling[node] == 0) {
          node = tree.parent(node);
          up++;
        }
        if (node == 0) {
          return;
        }
        node = nextSibling[node];
        up++;
      }
      writeNode(node, up);
      up = 0;
    }
  }

  private void writeNode(int node, int up) {
    tree.guesses(node).forEach((how, samples) -> guesses.add(new Guess(nodes, how, samples)));
    nodes++;
    number(up);
    number(rank[tree.name(node)]);
    long[] categories = tree.categories(node);
    int different = 0;
    int most = 0;
    for (int i = 0; i < categories.length; i++) {
      different += categories[i] > 0 ? 1 : 0;
      most = categories[i] > categories[most] ? i : most;
    }
    number(2L * most + (different > 1 ? 1 : 0));
    if (different > 1) {
      number(different);
      for (int i = 0; i < categories.length; i++) {
        if (categories[i] > 0) {
          number(i);
          number(categories[i]);
        }
      }
    }
    number(tree.self(node));
    if (tree.self(node) > 0) {
      number(Math.max(0, tree.selfNanos(node)) / 1_000);
    }
  }

  private void number(long value) {
    long left = value;
    while (left > 127) {
      bytes.write((int) (left & 127) | 128);
      left >>>= 7;
    }
    bytes.write((int) left);
  }
}
