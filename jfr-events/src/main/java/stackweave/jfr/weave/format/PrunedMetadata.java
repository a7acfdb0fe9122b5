package stackweave.jfr.weave.format;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.chunk.ChunkInput;

/**
 * Metadata with those types only that some types need: a few KB in place of a JVM's 120. Types keep
 * their ids, and all that is said of them. Stateless.
 */
final class PrunedMetadata {
  /** JFR's elements are five deep. */
  private static final int MAX_DEPTH = 32;

  /** A name, attributes, and elements within. */
  private record Element(String name, Map<String, String> attributes, List<Element> children) {
    boolean isClass() {
      return name.equals("class");
    }

    String attribute(String key) {
      return attributes.getOrDefault(key, "");
    }
  }

  private PrunedMetadata() {}

  /**
   * Strings and elements as in a chunk, behind the id of the metadata.
   *
   * @param metadata a JVM's, in the same form
   * @param names the types that are needed; what these need is kept, too
   * @throws IOException if the metadata are damaged
   */
  static EncodedBytes of(byte[] metadata, Set<String> names) throws IOException {
    ChunkInput input = new ChunkInput(metadata);
    List<String> strings = new ArrayList<>();
    for (int count = input.readCount(); count > 0; count--) {
      strings.add(input.readText());
    }
    Element root = read(input, strings, 0);
    Set<String> kept = reachable(root, names);
    EncodedBytes tree = new EncodedBytes(1 << 13);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    write(without(root, kept), tree, numbers);
    EncodedBytes pruned = new EncodedBytes(1 << 14);
    pruned.number(numbers.size());
    for (String string : numbers.keySet()) {
      pruned.text(string);
    }
    pruned.append(tree);
    return pruned;
  }

  private static Element read(ChunkInput input, List<String> strings, int depth)
      throws IOException {
    if (depth == MAX_DEPTH) {
      throw new IOException("the metadata have elements within elements without end");
    }
    String name = string(input, strings);
    Map<String, String> attributes = new LinkedHashMap<>();
    for (int count = input.readCount(); count > 0; count--) {
      String key = string(input, strings);
      attributes.put(key, string(input, strings));
    }
    List<Element> children = new ArrayList<>();
    for (int count = input.readCount(); count > 0; count--) {
      children.add(read(input, strings, depth + 1));
    }
    return new Element(name, attributes, children);
  }

  private static String string(ChunkInput input, List<String> strings) throws IOException {
    long number = input.readLong();
    if (number < 0 || number >= strings.size()) {
      throw new IOException("the metadata have no string " + number);
    }
    return strings.get((int) number);
  }

  /** The ids of types that are named, and of all that their fields and annotations are of. */
  private static Set<String> reachable(Element root, Set<String> names) {
    Map<String, Element> classes = new LinkedHashMap<>();
    Deque<String> open = new ArrayDeque<>();
    for (Element each : classes(root)) {
      classes.put(each.attribute("id"), each);
      if (names.contains(each.attribute("name"))) {
        open.add(each.attribute("id"));
      }
    }
    Set<String> kept = new HashSet<>();
    while (!open.isEmpty()) {
      String id = open.remove();
      if (classes.containsKey(id) && kept.add(id)) {
        addTypes(classes.get(id), open);
      }
    }
    return kept;
  }

  private static void addTypes(Element element, Deque<String> ids) {
    for (Element each : element.children) {
      ids.add(each.attribute("class"));
      addTypes(each, ids);
    }
  }

  private static List<Element> classes(Element element) {
    List<Element> classes = new ArrayList<>();
    for (Element each : element.children) {
      if (each.isClass()) {
        classes.add(each);
      } else {
        classes.addAll(classes(each));
      }
    }
    return classes;
  }

  private static Element without(Element element, Set<String> kept) {
    List<Element> children = new ArrayList<>();
    for (Element each : element.children) {
      if (!each.isClass()) {
        children.add(without(each, kept));
      } else if (kept.contains(each.attribute("id"))) {
        children.add(each);
      }
    }
    return new Element(element.name, element.attributes, children);
  }

  private static void write(Element element, EncodedBytes tree, Map<String, Integer> numbers) {
    tree.number(number(element.name, numbers));
    tree.number(element.attributes.size());
    for (Map.Entry<String, String> each : element.attributes.entrySet()) {
      tree.number(number(each.getKey(), numbers));
      tree.number(number(each.getValue(), numbers));
    }
    tree.number(element.children.size());
    for (Element each : element.children) {
      write(each, tree, numbers);
    }
  }

  private static int number(String string, Map<String, Integer> numbers) {
    Integer known = numbers.putIfAbsent(string, numbers.size());
    return known == null ? numbers.size() - 1 : known;
  }
}
