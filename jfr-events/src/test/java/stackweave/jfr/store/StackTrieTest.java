package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The tree finds what a HashMap of records finds, in one generation after the other. */
class StackTrieTest {
  private record Node(long parent, long method, int kind, int line, long offset, int found) {}

  private final Random random = new Random(17);
  private final StackTrie trie = new StackTrie(1);
  private final Map<Node, Long> ids = new HashMap<>();
  private final List<Long> known = new ArrayList<>();

  @Test
  void findsWhatAMapFinds() {
    for (int generation = 0; generation < 6; generation++) {
      // Few nodes, which fit into the first block; many; few again where there is room for many.
      fill(generation % 2 == 0 ? 50 : 5_000);
      ids.forEach(this::check);
      long first = trie.id(0);
      int count = trie.count();
      if (generation < 3) {
        trie.empty();
      } else {
        trie.clear();
      }
      assertEquals(-1, trie.indexOf(first));
      assertThrows(
          IllegalArgumentException.class, () -> trie.intern(first, 1, 1, 1, 1, 1), "a node before");
      assertEquals(first + count, trie.id(0));
      ids.clear();
      known.clear();
    }
  }

  private void fill(int nodes) {
    while (trie.count() < nodes) {
      long parent = known.isEmpty() || random.nextInt(9) == 0 ? 0 : any(known);
      Node node =
          new Node(
              parent,
              random.nextBoolean() ? 1 + random.nextInt(3) : (1L << 48) - 1 - random.nextInt(3),
              random.nextInt(3) == 0 ? 127 : random.nextInt(2),
              random.nextInt(3) - 1,
              random.nextBoolean() ? random.nextInt(2) : Long.MIN_VALUE + random.nextInt(2),
              random.nextInt(3) == 0 ? 127 : random.nextInt(2));
      long id =
          trie.intern(node.parent, node.method, node.kind, node.line, node.offset, node.found);
      Long before = ids.putIfAbsent(node, id);
      if (before == null) {
        assertEquals(trie.id(trie.count() - 1), id);
        assertEquals(0, trie.emitted(trie.indexOf(id)));
        trie.setEmitted(trie.indexOf(id), (int) id);
        known.add(id);
      } else {
        assertEquals(before, id);
      }
    }
    assertEquals(ids.size(), trie.count());
  }

  private long any(List<Long> of) {
    return of.get(random.nextInt(of.size()));
  }

  private void check(Node node, long id) {
    int index = trie.indexOf(id);
    Node read =
        new Node(
            trie.parent(index),
            trie.method(index),
            trie.kind(index),
            trie.line(index),
            trie.offset(index),
            trie.found(index));
    assertEquals(node, read);
    assertEquals((int) id, trie.emitted(index));
  }
}
