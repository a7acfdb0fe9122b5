package stackweave.jfr.export.otlp;

import java.util.List;
import java.util.Locale;
import stackweave.jfr.export.Index;
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
  private final Index<SampledModule> mappings = new Index<>(1);
  private final Index<Attribute> attributes = new Index<>(1);
  private final Index<SpanLink> links = new Index<>(1);

  ProfileTables tables() {
    return tables;
  }

  /**
   * The index of an attribute.
   *
   * @param value a String or Long
   */
  int attribute(String key, Object value) {
    Object written = value instanceof String text ? ProfileTables.text(text) : value;
    return attributes.of(new Attribute(tables.string(key), written));
  }

  /** The index of a link. */
  int link(SpanLink link) {
    return links.of(link);
  }

  /** The message; to be called when all entries are known. */
  Protobuf message() {
    Protobuf message = new Protobuf();
    // Messages with mappings, strings and attributes come before these.
    message.message(LOCATION, new Protobuf());
    tables.locations.entries().forEach(l -> message.message(LOCATION, location(l)));
    message.message(MAPPING, new Protobuf());
    mappings.entries().forEach(module -> message.message(MAPPING, mapping(module)));
    message.message(FUNCTION, new Protobuf());
    for (ProfileTables.Function function : tables.functions.entries()) {
      message.message(
          FUNCTION,
          new Protobuf()
              .number(1, function.name())
              .number(2, function.systemName())
              .number(3, function.file()));
    }
    message.message(LINK, new Protobuf().bytes(1, new byte[16]).bytes(2, new byte[8]));
    for (SpanLink link : links.entries()) {
      message.message(LINK, link.message());
    }
    message.message(ATTRIBUTE, new Protobuf());
    for (Attribute attribute : attributes.entries()) {
      Protobuf value = new Protobuf();
      if (attribute.value() instanceof Long number) {
        value.number(3, number);
      } else {
        value.string(1, (String) attribute.value());
      }
      message.message(ATTRIBUTE, new Protobuf().number(1, attribute.key()).message(2, value));
    }
    message.message(STACK, new Protobuf());
    for (List<Integer> stack : tables.stacks.entries()) {
      message.message(STACK, new Protobuf().packed(1, stack));
    }
    for (String text : tables.strings.entries()) {
      message.string(STRING, text);
    }
    return message;
  }

  private Protobuf mapping(SampledModule module) {
    return new Protobuf()
        .number(2, -1L) // memory_limit, unsigned; memory_start and file_offset are 0
        .number(4, tables.string(module.path()))
        .packed(5, List.of(attribute("process.executable.build_id.gnu", module.buildId())));
  }

  /** A library without a build id is no mapping. */
  private Protobuf location(ProfileTables.Location location) {
    Protobuf message = new Protobuf();
    if (location.mapping() > 0) {
      SampledModule module = tables.mappings.get(location.mapping());
      if (!module.buildId().isEmpty()) {
        message.number(1, mappings.of(module)).number(2, location.address());
      }
    }
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
