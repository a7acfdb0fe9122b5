package stackweave.jfr.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import stackweave.jfr.export.TimedSamples.Place;
import stackweave.jfr.export.TimedSamples.Taken;
import stackweave.jfr.export.TimedSamples.ThreadSamples;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.status.Counter;

/**
 * A file for profiler.firefox.com: its processed profile format of version {@value #VERSION}. That
 * profiler reads all older versions. Samples have their time, and as weight their CPU or wall-clock
 * time; categories are the kinds of code. Source: docs-developer/processed-profile-format.md and
 * src/types/profile.ts of github.com/firefox-devtools/profiler. Holds the samples in memory ({@link
 * TimedSamples}).
 */
public final class FirefoxExport extends TextExport<SampledRecording> {
  /** The version of the processed profile format. */
  public static final int VERSION = 70;

  /** The version of Firefox's own format at that time, which is a required field. */
  private static final int GECKO_VERSION = 36;

  private static final double NANOS_PER_MILLI = 1e6;
  private static final Object NONE = -1;
  private static final int LIBRARY_RESOURCE = 1;

  private final String title;
  private final Selection selection;

  /**
   * @param title the name of the profile, such as the recording's
   * @param selection which samples are in it
   */
  public FirefoxExport(String title, Selection selection) {
    this.title = title;
    this.selection = selection;
  }

  @Override
  public void writeText(SampledRecording recording, Appendable out)
      throws IOException, RecordingException {
    new Page(recording, new Json(out)).write();
  }

  /** The file of one recording. */
  private final class Page {
    private final SampledRecording recording;
    private final TimedSamples samples;
    private final List<Place> places;
    private final Json json;

    /** When time is 0, in ns since 1970. */
    private final long start;

    private final Index<String> strings = new Index<>(0);

    /** Functions by their text, and the first place of each. */
    private final Index<String> functions = new Index<>(0);

    private final List<Place> functionPlaces = new ArrayList<>();
    private final Index<String> sources = new Index<>(0);
    private final Index<String> resources = new Index<>(0);

    Page(SampledRecording recording, Json json) throws RecordingException {
      this.recording = recording;
      this.json = json;
      this.samples = new TimedSamples(recording, selection, true);
      this.places = samples.places();
      this.start = Texts.nanos(selection.first(recording));
      for (Place place : places) {
        if (functions.of(place.text()) == functionPlaces.size()) {
          functionPlaces.add(place);
        }
      }
    }

    void write() throws IOException {
      json.beginObject();
      meta();
      empty("libs");
      json.name("shared").beginObject();
      stackTable();
      frameTable();
      funcTable();
      otherTables();
      json.endObject();
      json.name("threads").beginArray();
      for (ThreadSamples thread : samples.threads()) {
        thread(thread);
      }
      json.endArray().endObject();
    }

    private void meta() throws IOException {
      json.name("meta").beginObject();
      json.field("interval", millis(recording.figures().get(Counter.INTERVAL)));
      json.field("startTime", millis(start));
      json.field("profilingStartTime", 0);
      json.field("profilingEndTime", millis(Texts.nanos(selection.last(recording)) - start));
      json.field("processType", 0);
      json.field("product", Names.printable(title));
      json.field("importedFrom", "Stackweave");
      json.field("stackwalk", 1);
      json.field("debug", false);
      json.field("version", GECKO_VERSION);
      json.field("preprocessedProfileVersion", VERSION);
      json.field("symbolicated", true);
      json.field("usesOnlyOneStackType", false);
      json.field("sourceCodeIsNotOnSearchfox", true);
      json.field("keepProfileThreadOrder", false);
      empty("markerSchema");
      json.name("sampleUnits").beginObject();
      json.field("time", "ms").field("eventDelay", "ms").field("threadCPUDelta", "ns");
      json.endObject();
      json.name("categories").beginArray();
      for (FrameCategory category : FrameCategory.values()) {
        json.beginObject();
        json.field("name", category == FrameCategory.UNKNOWN ? "Other" : category.label());
        json.field("color", color(category));
        json.field("subcategories", List.of("Other")).endObject();
      }
      json.endArray().endObject();
    }

    private void stackTable() throws IOException {
      int length = samples.nodes();
      json.name("stackTable").beginObject();
      json.array("frame", length, samples::place);
      json.array("prefixOffset", length, i -> samples.parent(i) < 0 ? 0 : i - samples.parent(i));
      json.field("length", length).endObject();
    }

    private void frameTable() throws IOException {
      int length = places.size();
      json.name("frameTable").beginObject();
      fill(length, NONE, "address", "lib");
      fill(length, 0, "inlineDepth", "subcategory", "innerWindowID");
      fill(length, null, "nativeSymbol", "column", "originalLocation");
      places("category", places, place -> category(place).ordinal());
      places("func", places, place -> functions.of(place.text()));
      places(
          "line",
          places,
          place -> place.frame() != null && place.frame().line() > 0 ? place.frame().line() : null);
      json.field("length", length).endObject();
    }

    private void funcTable() throws IOException {
      int length = functionPlaces.size();
      json.name("funcTable").beginObject();
      places("name", functionPlaces, place -> strings.of(functionName(place)));
      fill(length, false, "isJS", "relevantForJS");
      places(
          "resource",
          functionPlaces,
          place -> libraryName(place).isEmpty() ? NONE : resources.of(libraryName(place)));
      places("source", functionPlaces, this::source);
      fill(length, null, "lineNumber", "columnNumber", "originalLocation");
      json.field("length", length).endObject();
    }

    private Integer source(Place place) {
      SampledMethod method = place.frame() == null ? null : place.frame().method();
      return method == null || method.sourceFile().isEmpty()
          ? null
          : sources.of(Names.printable(path(method)));
    }

    private void places(String column, List<Place> of, Function<Place, Object> value)
        throws IOException {
      json.array(column, of.size(), i -> value.apply(of.get(i)));
    }

    /** Writes columns that have the same value in all rows. */
    private void fill(int length, Object value, String... columns) throws IOException {
      for (String column : columns) {
        json.array(column, length, i -> value);
      }
    }

    private void otherTables() throws IOException {
      List<Integer> resourceNames = indices(resources);
      json.name("resourceTable").beginObject();
      json.field("length", resourceNames.size());
      json.field("name", resourceNames);
      fill(resourceNames.size(), null, "host");
      fill(resourceNames.size(), LIBRARY_RESOURCE, "type");
      json.endObject();
      emptyTable("nativeSymbols", "libIndex", "address", "name", "functionSize");
      List<Integer> sourceNames = indices(sources);
      json.name("sources").beginObject();
      json.field("length", sourceNames.size());
      json.field("filename", sourceNames);
      fill(sourceNames.size(), 1, "startLine", "startColumn");
      fill(sourceNames.size(), null, "id", "sourceMapURL", "content");
      json.endObject();
      emptyTable("sourceLocationTable", "source", "line", "column");
      json.field("stringArray", strings.entries());
    }

    /** The indices of the entries of a table among the strings. */
    private List<Integer> indices(Index<String> table) {
      return table.entries().stream().map(strings::of).toList();
    }

    private void emptyTable(String name, String... columns) throws IOException {
      json.name(name).beginObject();
      for (String column : columns) {
        empty(column);
      }
      json.field("length", 0).endObject();
    }

    private void empty(String name) throws IOException {
      json.field(name, List.of());
    }

    private void thread(ThreadSamples thread) throws IOException {
      String pid = Long.toString(thread.session.pid());
      json.beginObject();
      json.field("processType", "default");
      json.field("processStartupTime", 0).field("processShutdownTime", null);
      json.field("registerTime", 0).field("unregisterTime", null);
      empty("pausedRanges");
      json.field("name", thread.name());
      json.field("isMainThread", thread.thread.name().equals("main"));
      json.field("processName", "process " + pid);
      json.field("pid", pid);
      json.field("tid", tid(thread));
      json.name("samples").beginObject();
      List<Taken> taken = thread.samples;
      int length = taken.size();
      json.array("stack", length, i -> taken.get(i).stack());
      json.array("time", length, i -> millis(taken.get(i).nanos() - start));
      WeightUnit unit = recording.choice().unit();
      boolean isTime = unit == WeightUnit.NANOSECONDS;
      json.array(
          "weight",
          length,
          i -> isTime ? (Object) millis(taken.get(i).weight()) : taken.get(i).weight());
      // The viewer's other types are of samples and bytes (src/types/profile.ts, WeightType).
      json.field(
          "weightType",
          switch (unit) {
            case NANOSECONDS -> "tracing-ms";
            case EVENTS -> "samples";
            case BYTES -> "bytes";
          });
      json.array("threadCPUDelta", length, i -> taken.get(i).isOfCpu() ? taken.get(i).weight() : 0);
      json.field("length", length).endObject();
      emptyTable("markers", "data", "name", "startTime", "endTime", "phase", "category");
      json.endObject();
    }
  }

  private static double millis(long nanos) {
    return nanos / NANOS_PER_MILLI;
  }

  /** The OS's id of the thread; for a virtual thread, which has none, a text of its own. */
  private static String tid(ThreadSamples thread) {
    return thread.thread.isVirtual()
        ? "virtual " + thread.thread.javaId()
        : Long.toString(thread.thread.osThreadId());
  }

  private static String libraryName(Place place) {
    return place.frame() == null ? "" : Names.printable(FrameText.of(place.frame()).library());
  }

  /** The text without the library in brackets, which the profiler shows separately. */
  private static String functionName(Place place) {
    String ending = " [" + libraryName(place) + "]";
    return place.frame() != null && place.text().endsWith(ending)
        ? place.text().substring(0, place.text().length() - ending.length())
        : place.text();
  }

  /** The class's package as a path, and the source file. */
  private static String path(SampledMethod method) {
    int end = method.className().lastIndexOf('.');
    return end < 0
        ? method.sourceFile()
        : method.className().substring(0, end + 1).replace('.', '/') + method.sourceFile();
  }

  private static FrameCategory category(Place place) {
    return place.frame() == null ? FrameCategory.MARKER : FrameCategory.of(place.frame());
  }

  /** One of the colours that the format names; the grey one is the default category. */
  private static String color(FrameCategory category) {
    return switch (category) {
      case NATIVE -> "orange";
      case CPP -> "yellow";
      case JVM -> "blue";
      case KERNEL -> "red";
      case INTERPRETED -> "lightred";
      case C1, C1_OSR, C2, C2_OSR, COMPILED, INLINED -> "green";
      case NATIVE_METHOD -> "lightblue";
      case STUB -> "purple";
      case CONTINUATION -> "magenta";
      case UNKNOWN -> "grey";
      case CLASS, MARKER -> "darkgrey";
    };
  }
}
