package stackweave.jfr.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.MemoryAddress;
import jdk.jfr.SettingDescriptor;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;
import stackweave.jfr.call.NativeCall;
import stackweave.jfr.call.NativeCallCounts;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.event.load.NativeLibraryLoad;
import stackweave.jfr.event.load.NativeLibraryMapped;
import stackweave.testing.Promised;

/**
 * The tables of docs/events.md are those of the event classes. With {@code -Devents.page=write} the
 * test writes them; what stands between them is written by hand. A new event is to be added to
 * {@link #EVENTS} and gets its heading and description by hand.
 */
class EventsPageTest {
  private static final Path PAGE = Path.of("../docs/events.md");
  private static final String HEAD = "| field | meaning |";
  private static final String SHARED_HEADING = "## Fields of samples";
  private static final String SHARED_LINK = "[fields of samples](#fields-of-samples)";

  /** A field that so many events have, with the same meaning, is described once. */
  private static final int SHARED_BY = 3;

  /** In the order of the page. */
  private static final List<Class<? extends Event>> EVENTS =
      List.of(
          Session.class,
          StackSample.class,
          WallSample.class,
          Blocked.class,
          NativeCall.class,
          NativeCallCounts.class,
          EventSample.class,
          NativeMemory.class,
          NativeAllocation.class,
          DefinitionBlock.class,
          SamplerStatus.class,
          NativeSample.class,
          NativeLibraryLoad.class,
          NativeLibraryMapped.class,
          Context.class);

  /** JFR calls them, which tells the agent of chunks and settings. */
  private static final List<String> NEVER_WRITTEN =
      List.of("ChunkBegin", "ChunkEnd", "SettingsWatch");

  private static final List<String> FIELDS_OF_JFR =
      List.of("startTime", "duration", "eventThread", "stackTrace");

  /** Which of these an event has depends on the JDK. */
  private static final List<String> SETTINGS_OF_JFR =
      List.of("stackTrace", "period", "cutoff", "throttle", "level");

  @Test
  void thePageHasTheTablesOfTheClasses() throws IOException {
    List<String> lines = Files.readAllLines(PAGE);
    Map<String, String> shared = sharedFields();
    Map<String, List<String>> tables = new LinkedHashMap<>();
    tables.put(SHARED_HEADING, table(List.copyOf(shared.values())));
    for (Class<? extends Event> event : EVENTS) {
      tables.put("## " + EventType.getEventType(event).getName(), table(event, shared));
    }
    List<String> made = new ArrayList<>();
    List<String> pending = null;
    List<String> sections = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.startsWith("## ")) {
        if (pending != null && pending.size() > 2) { // fields, and no table yet
          made.addAll(pending);
          made.add("");
        }
        pending = tables.get(line);
        if (pending != null) {
          sections.add(line);
        }
      }
      if (line.equals(HEAD)) {
        assertTrue(pending != null, "a second table of fields in " + sections);
        made.addAll(pending);
        pending = null;
        while (i + 1 < lines.size() && lines.get(i + 1).startsWith("|")) {
          i++;
        }
      } else {
        made.add(line);
      }
    }
    assertEquals(
        List.copyOf(tables.keySet()),
        sections,
        PAGE
            + " has these sections, in the order of EVENTS: a heading and the class's description");
    if ("write".equals(System.getProperty("events.page"))) {
      Files.write(PAGE, made);
      return;
    }
    assertEquals(
        String.join("\n", made),
        String.join("\n", lines),
        PAGE + " is not what the classes say; -Dtest=EventsPageTest -Devents.page=write makes it");
  }

  /** Each section begins with what the class says of its event. */
  @Test
  void thePageDescribesTheEventsAsTheClassesDo() throws IOException {
    String page = Files.readString(PAGE);
    for (Class<? extends Event> event : EVENTS) {
      EventType type = EventType.getEventType(event);
      String begin = "## " + type.getName() + "\n\n" + type.getDescription();
      assertTrue(page.contains(begin), PAGE + " lacks: " + begin);
    }
    assertTrue(page.contains("the schema's version is " + Session.SCHEMA_VERSION + "."));
  }

  /** A new event can't be forgotten. */
  @Test
  void thePageHasAllEventClasses() throws IOException, ClassNotFoundException {
    Path classes = Path.of("target/classes");
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
        String name = classes.relativize(file).toString().replace('/', '.').replace(".class", "");
        Class<?> type = Class.forName(name, false, getClass().getClassLoader());
        if (Event.class.isAssignableFrom(type) && !Modifier.isAbstract(type.getModifiers())) {
          found.add(type.getSimpleName());
        }
      }
    }
    Set<String> listed = new TreeSet<>(NEVER_WRITTEN);
    EVENTS.forEach(event -> listed.add(event.getSimpleName()));
    assertEquals(found, listed);
  }

  /** What recordings have, and how they ask for it, stays as it is. */
  @Test
  void whatWasPromisedIsThere() throws IOException {
    List<String> present = new ArrayList<>();
    for (Class<? extends Event> event : EVENTS) {
      EventType type = EventType.getEventType(event);
      String name = type.getName().replace("stackweave.", "");
      present.add(name);
      for (ValueDescriptor field : fields(event)) {
        present.add(name + "." + field.getName() + ": " + type(field));
      }
      for (SettingDescriptor setting : type.getSettingDescriptors()) {
        String shown = setting.getDefaultValue();
        String value = shown.equals(Timespans.DEFAULT) ? ownDefault(name, setting) : shown;
        if (!SETTINGS_OF_JFR.contains(setting.getName()) && !value.equals("0 ns")) {
          present.add(name + "#" + setting.getName() + "=" + value);
        }
      }
    }
    Promised.compare("event", present);
  }

  /** The value of a setting that JFR does not know. */
  private static String ownDefault(String event, SettingDescriptor setting) {
    for (SampledFeature feature : SampledFeature.values()) {
      if (feature.event().endsWith("." + event)) {
        return feature.standard() + " ns";
      }
    }
    return switch (setting.getName()) {
      case "interval" -> SamplingSettings.DEFAULT_INTERVAL_NANOS + " ns";
      case "depth" -> String.valueOf(SamplingSettings.DEFAULT_DEPTH);
      case "engine" -> SamplingSettings.DEFAULT_ENGINE;
      case "event" -> SampledEvent.CPU.name();
      default -> setting.getDefaultValue();
    };
  }

  /** The rows of fields that several events have, by the fields' names. */
  private static Map<String, String> sharedFields() {
    Map<String, Map<String, Integer>> counts = new LinkedHashMap<>();
    for (Class<? extends Event> event : EVENTS) {
      for (ValueDescriptor field : fields(event)) {
        counts
            .computeIfAbsent(field.getName(), name -> new LinkedHashMap<>())
            .merge(row(field), 1, Integer::sum);
      }
    }
    Map<String, String> shared = new LinkedHashMap<>();
    counts.forEach(
        (name, rows) ->
            rows.forEach(
                (row, count) -> {
                  if (count >= SHARED_BY) {
                    shared.put(name, row);
                  }
                }));
    return shared;
  }

  private static List<String> table(Class<? extends Event> event, Map<String, String> shared) {
    List<String> rows = new ArrayList<>();
    List<String> elsewhere = new ArrayList<>();
    for (ValueDescriptor field : fields(event)) {
      String row = row(field);
      if (row.equals(shared.get(field.getName()))) {
        elsewhere.add("`" + field.getName() + "`");
      } else {
        rows.add(row);
      }
    }
    if (!elsewhere.isEmpty()) {
      rows.add("| " + String.join(", ", elsewhere) + " | " + SHARED_LINK + " |");
    }
    return table(rows);
  }

  private static List<String> table(List<String> rows) {
    List<String> table = new ArrayList<>(List.of(HEAD, "|---|---|"));
    table.addAll(rows);
    return table;
  }

  private static List<ValueDescriptor> fields(Class<? extends Event> event) {
    // The words of a block are one row.
    return EventType.getEventType(event).getFields().stream()
        .filter(field -> !FIELDS_OF_JFR.contains(field.getName()))
        .filter(field -> !field.getName().matches("w(0[1-9]|[1-9][0-9])"))
        .toList();
  }

  private static String row(ValueDescriptor field) {
    return "| `" + field.getName() + "` (" + type(field) + ") | " + meaning(field) + " |";
  }

  private static String meaning(ValueDescriptor field) {
    String description = field.getDescription();
    return description == null ? field.getLabel() : description;
  }

  private static String type(ValueDescriptor field) {
    String name = field.getTypeName();
    String type = name.substring(name.lastIndexOf('.') + 1);
    Timespan span = field.getAnnotation(Timespan.class);
    if (span != null) {
      assertEquals(Timespan.NANOSECONDS, span.value());
      return type + ", ns";
    }
    Timestamp stamp = field.getAnnotation(Timestamp.class);
    if (stamp != null) {
      assertEquals(Timestamp.MILLISECONDS_SINCE_EPOCH, stamp.value());
      return type + ", ms since 1970";
    }
    if (field.getAnnotation(DataAmount.class) != null) {
      return type + ", bytes";
    }
    return field.getAnnotation(MemoryAddress.class) != null ? type + ", address" : type;
  }
}
