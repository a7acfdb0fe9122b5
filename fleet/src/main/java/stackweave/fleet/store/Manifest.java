package stackweave.fleet.store;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What readers of the tables see: the directories of each table, relative to that of all.
 * Immutable.
 *
 * @param version of this format
 * @param number counts the manifests of a directory, from 1; 0 for none
 * @param samples directories of {@link Table#SAMPLES}, the oldest batch first
 * @param stacks those of {@link Table#STACKS}
 * @param sources those of {@link Table#SOURCES}
 * @param rejects those of {@link Table#REJECTS}
 */
public record Manifest(
    int version,
    long number,
    List<String> samples,
    List<String> stacks,
    List<String> sources,
    List<String> rejects) {
  /** The manifest of a directory without tables. */
  static final Manifest EMPTY = new Manifest(1, 0, List.of(), List.of(), List.of(), List.of());

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Copies the lists. */
  public Manifest {
    samples = List.copyOf(samples);
    stacks = List.copyOf(stacks);
    sources = List.copyOf(sources);
    rejects = List.copyOf(rejects);
  }

  /** The directories of a table. */
  public List<String> directories(Table table) {
    return switch (table) {
      case SAMPLES -> samples;
      case STACKS -> stacks;
      case SOURCES -> sources;
      case REJECTS -> rejects;
    };
  }

  /** The next manifest, with the directories of a batch behind those of each of these tables. */
  public Manifest with(String batch, Iterable<Table> tables) {
    Map<Table, List<String>> all = directories();
    tables.forEach(table -> all.get(table).add(table.directory(batch)));
    return next(all);
  }

  /** The next manifest, in which a batch is all that a table has. */
  public Manifest withOnly(String batch, Table table) {
    Map<Table, List<String>> all = directories();
    all.put(table, List.of(table.directory(batch)));
    return next(all);
  }

  private Map<Table, List<String>> directories() {
    Map<Table, List<String>> all = new EnumMap<>(Table.class);
    for (Table table : Table.values()) {
      all.put(table, new ArrayList<>(directories(table)));
    }
    return all;
  }

  private Manifest next(Map<Table, List<String>> all) {
    return new Manifest(
        version,
        number + 1,
        all.get(Table.SAMPLES),
        all.get(Table.STACKS),
        all.get(Table.SOURCES),
        all.get(Table.REJECTS));
  }

  /** The name of its file. Names sort as their numbers do. */
  String fileName() {
    return String.format(Locale.ROOT, "manifest-%012d.json", number);
  }

  byte[] json() {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e); // lists of texts can be written
    }
  }

  /**
   * Parses one.
   *
   * @param name of its file, for messages
   * @throws FleetException if it is of a later version, or damaged
   */
  static Manifest parse(String name, byte[] json) throws FleetException {
    try {
      JsonNode tree = JSON.readTree(json);
      // Before its other fields, which a later version may have changed.
      int version = tree.path("version").asInt();
      if (version < 1) {
        throw new IOException("it has no version");
      }
      if (version > EMPTY.version) {
        throw new FleetException(
            "%s: the tables are of version %d, and this program knows version %d: use a newer"
                + " stackweave-fleet.jar",
            name, version, EMPTY.version);
      }
      return JSON.treeToValue(tree, Manifest.class);
    } catch (IOException e) {
      throw new FleetException(
          "%s: is damaged (%s): put a copy of it back, or delete it, and the one before holds",
          name, FleetException.firstLine(e));
    }
  }
}
