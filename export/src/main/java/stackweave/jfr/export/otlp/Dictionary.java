package stackweave.jfr.export.otlp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import stackweave.jfr.export.ProfileTables;
import stackweave.jfr.export.Protobuf;
import stackweave.jfr.read.SampledModule;

/** The tables of {@code ProfilesDictionary}. Entry 0 of each is empty. Not thread-safe. */
final class Dictionary {
  // Fields of ProfilesDictionary.
  private static final int MAPPING = 1;
  private static final int LOCATION = 2;
  private static final int FUNCTION = 3;
  private static final int LINK = 4;
  private static final int STRING = 5;
  private static final int ATTRIBUTE = 6;
  private static final int STACK = 7;

  /**
   * @param key the index of a string
   * @param value a String or Long
   */
  private record Attribute(int key, Object value) {}

  private final ProfileTables tables = new ProfileTables();
  private final Map<Attribute, Integer> attributes = new LinkedHashMap<>();
  private final Map<SpanLink, Integer> links = new LinkedHashMap<>();
  private final boolean opensLibraries;

  /**
   * @param opensLibraries whether libraries are opened for their {@link HtlHash}
   */
  Dictionary(boolean opensLibraries) {
    this.opensLibraries = opensLibraries;
  }

  ProfileTables tables() {
    return tables;
  }

  /** The index of an attribute. */
  int attribute(String key, String value) {
    return attribute(new Attribute(tables.string(key), ProfileTables.text(value)));
  }

  /** The index of an attribute, whose value is not 0. */
  int attribute(String key, long value) {
    return attribute(new Attribute(tables.string(key), value));
  }

  /** The index of a link. */
  int link(SpanLink link) {
    return links.computeIfAbsent(link, l -> links.size() + 1);
  }

  private int attribute(Attribute attribute) {
    return attributes.computeIfAbsent(attribute, a -> attributes.size() + 1);
  }

  /** The message; call it when all else is known. */
  Protobuf message() {
    Protobuf message = new Protobuf();
    // What has strings and attributes comes before these.
    int[] mappings = mappings(message);
    message.message(LOCATION, new Protobuf());
    tables.locations().forEach(l -> message.message(LOCATION, location(l, mappings)));
    message.message(FUNCTION, new Protobuf());
    for (ProfileTables.Function function : tables.functions()) {
      message.message(
          FUNCTION,
          new Protobuf()
              .number(1, function.name())
              .number(2, function.systemName())
              .number(3, function.file()));
    }
    message.message(LINK, new Protobuf().bytes(1, new byte[16]).bytes(2, new byte[8]));
    for (SpanLink link : links.keySet()) {
      message.message(LINK, link.message());
    }
    message.message(ATTRIBUTE, new Protobuf());
    for (Attribute attribute : attributes.keySet()) {
      Protobuf value = new Protobuf();
      if (attribute.value() instanceof Long number) {
        value.number(3, number);
      } else {
        value.string(1, (String) attribute.value());
      }
      message.message(ATTRIBUTE, new Protobuf().number(1, attribute.key()).message(2, value));
    }
    message.message(STACK, new Protobuf());
    for (List<Integer> stack : tables.stacks()) {
      message.message(STACK, new Protobuf().packed(1, stack));
    }
    for (String text : tables.strings()) {
      message.string(STRING, text);
    }
    return message;
  }

  /**
   * Writes the mappings that have a build id.
   *
   * @return the index in the message by that in the tables; 0 where there is none
   */
  private int[] mappings(Protobuf message) {
    message.message(MAPPING, new Protobuf());
    int count = 0;
    for (SampledModule ignored : tables.mappings()) {
      count++;
    }
    int[] indices = new int[count + 1];
    int at = 1;
    int written = 1;
    for (SampledModule module : tables.mappings()) {
      if (!module.buildId().isEmpty()) {
        message.message(MAPPING, mapping(module));
        indices[at] = written++;
      }
      at++;
    }
    return indices;
  }

  private Protobuf mapping(SampledModule module) {
    List<Integer> ids =
        (opensLibraries ? HtlHash.of(module) : Optional.<String>empty())
            .map(
                hash ->
                    List.of(
                        attribute("process.executable.build_id.gnu", module.buildId()),
                        attribute("process.executable.build_id.htlhash", hash)))
            .orElseGet(
                () -> List.of(attribute("process.executable.build_id.gnu", module.buildId())));
    return new Protobuf()
        .number(2, -1L) // memory_limit, unsigned; memory_start and file_offset are 0
        .number(4, tables.string(module.path()))
        .packed(5, ids);
  }

  private Protobuf location(ProfileTables.Location location, int[] mappings) {
    Protobuf message = new Protobuf();
    int mapping = mappings[location.mapping()];
    message.number(1, mapping).number(2, mapping == 0 ? 0 : location.address());
    for (ProfileTables.Line line : location.lines()) {
      message.message(3, new Protobuf().number(1, line.function()).number(2, line.line()));
    }
    if (location.origin() != ProfileTables.Origin.NONE) {
      String type = location.origin().name().toLowerCase(Locale.ROOT);
      message.packed(4, List.of(attribute("profile.frame.type", type)));
    }
    return message;
  }
}
