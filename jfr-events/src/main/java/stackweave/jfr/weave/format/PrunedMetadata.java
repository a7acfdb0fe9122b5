package stackweave.jfr.weave.format;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.chunk.MetadataElement;

/**
 * Reduces metadata to the types that some types need: a few KB instead of a JVM's 120. Types keep
 * their ids and attributes. Stateless.
 */
final class PrunedMetadata {
  private PrunedMetadata() {}

  /**
   * Strings and elements as in a chunk, behind the id of the metadata.
   *
   * @param names the types that are needed; what these need is kept, too
   */
  static EncodedBytes of(Metadata metadata, Set<String> names) {
    return encoded(without(metadata.root(), reachable(metadata.root(), names)));
  }

  /**
   * The same types with other ids.
   *
   * @param more is added to each id
   * @throws IOException if the metadata are damaged
   */
  static Metadata renumbered(Metadata metadata, long more) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    encoded(renumbered(metadata.root(), more)).writeTo(new DataOutputStream(bytes));
    return Metadata.of(bytes.toByteArray());
  }

  private static MetadataElement renumbered(MetadataElement element, long more) {
    Map<String, String> attributes = new LinkedHashMap<>(element.attributes());
    attributes.computeIfPresent("class", (key, id) -> Long.toString(Long.parseLong(id) + more));
    if (element.isClass()) {
      attributes.computeIfPresent("id", (key, id) -> Long.toString(Long.parseLong(id) + more));
    }
    return new MetadataElement(
        element.name(),
        attributes,
        element.children().stream().map(child -> renumbered(child, more)).toList());
  }

  /** An element as in a chunk: strings, then the tree of elements that are made of them. */
  static EncodedBytes encoded(MetadataElement root) {
    EncodedBytes tree = new EncodedBytes(1 << 13);
    Map<String, Integer> numbers = new LinkedHashMap<>();
    write(root, tree, numbers);
    EncodedBytes all = new EncodedBytes(1 << 14);
    all.number(numbers.size());
    for (String string : numbers.keySet()) {
      all.text(string);
    }
    all.append(tree);
    return all;
  }

  /** The ids of the named types, and of all types that their fields and annotations refer to. */
  private static Set<String> reachable(MetadataElement root, Set<String> names) {
    Map<String, MetadataElement> classes = new LinkedHashMap<>();
    Deque<String> open = new ArrayDeque<>();
    for (MetadataElement each : root.classes()) {
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

  private static void addTypes(MetadataElement element, Deque<String> ids) {
    for (MetadataElement each : element.children()) {
      ids.add(each.attribute("class"));
      addTypes(each, ids);
    }
  }

  private static MetadataElement without(MetadataElement element, Set<String> kept) {
    List<MetadataElement> children = new ArrayList<>();
    for (MetadataElement each : element.children()) {
      if (!each.isClass()) {
        children.add(without(each, kept));
      } else if (kept.contains(each.attribute("id"))) {
        children.add(each);
      }
    }
    return new MetadataElement(element.name(), element.attributes(), children);
  }

  private static void write(
      MetadataElement element, EncodedBytes tree, Map<String, Integer> numbers) {
    tree.number(number(element.name(), numbers));
    tree.number(element.attributes().size());
    for (Map.Entry<String, String> each : element.attributes().entrySet()) {
      tree.number(number(each.getKey(), numbers));
      tree.number(number(each.getValue(), numbers));
    }
    tree.number(element.children().size());
    for (MetadataElement each : element.children()) {
      write(each, tree, numbers);
    }
  }

  private static int number(String string, Map<String, Integer> numbers) {
    Integer known = numbers.putIfAbsent(string, numbers.size());
    return known == null ? numbers.size() - 1 : known;
  }
}
