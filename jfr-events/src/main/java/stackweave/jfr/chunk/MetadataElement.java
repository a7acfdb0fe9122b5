package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An element of a chunk's metadata, such as a class or one of its fields. Immutable.
 *
 * @param name what sort of element it is
 * @param attributes in the order of the metadata
 * @param children the elements within
 */
public record MetadataElement(
    String name, Map<String, String> attributes, List<MetadataElement> children) {
  /** JFR's elements are five deep. */
  private static final int MAX_DEPTH = 32;

  /** The value of an attribute; empty if it has none. */
  public String attribute(String key) {
    return attributes.getOrDefault(key, "");
  }

  /** Whether it is a type. */
  public boolean isClass() {
    return name.equals("class");
  }

  /** All types within this element, except those within other types. */
  public List<MetadataElement> classes() {
    List<MetadataElement> classes = new ArrayList<>();
    for (MetadataElement each : children) {
      if (each.isClass()) {
        classes.add(each);
      } else {
        classes.addAll(each.classes());
      }
    }
    return classes;
  }

  /**
   * The outermost element of metadata.
   *
   * @param metadata what follows the id of the metadata in a chunk: strings, then elements
   * @throws IOException if they are damaged
   */
  static MetadataElement root(byte[] metadata) throws IOException {
    ChunkInput input = new ChunkInput(metadata);
    String[] texts = new String[input.readCount()];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = input.readText();
    }
    return read(input, texts, 0);
  }

  private static MetadataElement read(ChunkInput input, String[] texts, int depth)
      throws IOException {
    if (depth == MAX_DEPTH) {
      throw new IOException("its metadata have elements within elements without end");
    }
    String name = text(input, texts);
    Map<String, String> attributes = Map.of();
    int count = input.readCount();
    if (count > 0) {
      attributes = new LinkedHashMap<>();
      for (; count > 0; count--) {
        String key = text(input, texts);
        attributes.put(key, text(input, texts));
      }
    }
    List<MetadataElement> children = List.of();
    count = input.readCount();
    if (count > 0) {
      children = new ArrayList<>();
      for (; count > 0; count--) {
        children.add(read(input, texts, depth + 1));
      }
    }
    return new MetadataElement(name, attributes, children);
  }

  private static String text(ChunkInput input, String[] texts) throws IOException {
    long number = input.readLong();
    if (number < 0 || number >= texts.length) {
      throw new IOException("its metadata have no string " + number);
    }
    return texts[(int) number];
  }
}
