package stackweave.jfr.export;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import stackweave.jfr.export.TimedSamples.Place;
import stackweave.jfr.export.TimedSamples.ThreadSamples;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;

/**
 * A file for profiler.firefox.com: its processed profile format of version {@value #VERSION}. That
 * profiler reads all older versions. Samples have their time, and as weight the CPU time, or the
 * wall-clock time, that they stand for; categories are the kinds of code. Source:
 * docs-developer/processed-profile-format.md and src/types/profile.ts of
 * github.com/firefox-devtools/profiler. In memory are the samples ({@link TimedSamples}).
 */
public final class FirefoxExport extends TextExport {
  /** The version of the processed profile format. */
  public static final int VERSION = 70;

  /** The version of the format of Firefox itself at that time, which is demanded, too. */
  private static final int GECKO_VERSION = 36;

  private static final double NANOS_PER_MILLI = 1e6;
  private static final int NONE = -1;
  private static final int LIBRARY_RESOURCE = 1;

  /** Larger numbers are not exact in JavaScript. */
  private static final long MAX_EXACT = 1L << 53;

  private static final int GUID_DIGITS = 32;

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
  void writeText(SampledRecording recording, Appendable out)
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

    private final Map<String, Integer> strings = new LinkedHashMap<>();
    private final Map<SampledModule, Integer> libraries = new LinkedHashMap<>();

    /** Functions by their text, the first place of each, and the function of each place. */
    private final Map<String, Integer> functions = new HashMap<>();

    private final List<Place> functionPlaces = new ArrayList<>();
    private final int[] functionOfPlace;
    private final Map<String, Integer> sources = new LinkedHashMap<>();
    private final Map<String, Integer> resources = new LinkedHashMap<>();

    Page(SampledRecording recording, Json json) throws RecordingException {
      this.recording = recording;
      this.json = json;
      this.samples = new TimedSamples(recording, selection, TimedSamples.Detail.LINE_AND_ADDRESS);
      this.places = samples.places();
      this.start = Times.nanos(selection.first(recording));
      this.functionOfPlace = new int[places.size()];
      for (int i = 0; i < functionOfPlace.length; i++) {
        Place place = places.get(i);
        functionOfPlace[i] =
            functions.computeIfAbsent(
                place.text(),
                text -> {
                  functionPlaces.add(place);
                  return functionPlaces.size() - 1;
                });
        if (hasLibrary(place)) {
          index(libraries, module(place));
        }
      }
    }

    void write() throws IOException {
      json.beginObject();
      meta();
      json.name("libs").beginArray();
      for (SampledModule library : libraries.keySet()) {
        library(library);
      }
      json.endArray();
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
      json.name("interval").value(millis(recording.figures().get(Counter.INTERVAL)));
      json.name("startTime").value(millis(start));
      Instant last = selection.last(recording);
      json.name("profilingStartTime").value(0);
      json.name("profilingEndTime").value(millis(Times.nanos(last) - start));
      json.name("processType").value(0);
      json.name("product").value(Names.printable(title));
      json.name("importedFrom").value("Stackweave");
      json.name("stackwalk").value(1);
      json.name("debug").value(false);
      json.name("version").value(GECKO_VERSION);
      json.name("preprocessedProfileVersion").value(VERSION);
      json.name("symbolicated").value(true);
      json.name("usesOnlyOneStackType").value(false);
      json.name("sourceCodeIsNotOnSearchfox").value(true);
      json.name("keepProfileThreadOrder").value(false);
      json.name("markerSchema").beginArray().endArray();
      json.name("sampleUnits").beginObject();
      json.name("time").value("ms").name("eventDelay").value("ms");
      json.name("threadCPUDelta").value("ns").endObject();
      json.name("categories").beginArray();
      for (FrameCategory category : FrameCategory.values()) {
        json.beginObject();
        json.name("name").value(category == FrameCategory.UNKNOWN ? "Other" : category.label());
        json.name("color").value(color(category));
        json.name("subcategories").beginArray().value("Other").endArray().endObject();
      }
      json.endArray().endObject();
    }

    private void library(SampledModule library) throws IOException {
      String name = Names.printable(library.name());
      String path = Names.printable(library.path());
      json.beginObject();
      json.name("arch").value("");
      json.name("name").value(name).name("path").value(path);
      json.name("debugName").value(name).name("debugPath").value(path);
      json.name("breakpadId").value(breakpadId(library.buildId()));
      json.name("codeId");
      if (library.buildId().isEmpty()) {
        json.nullValue();
      } else {
        json.value(Names.printable(library.buildId()));
      }
      json.endObject();
    }

    private void stackTable() throws IOException {
      int length = samples.nodes();
      json.name("stackTable").beginObject();
      column("frame", length, samples::place);
      column("prefixOffset", length, i -> samples.parent(i) < 0 ? 0 : i - samples.parent(i));
      json.name("length").value(length).endObject();
    }

    private void frameTable() throws IOException {
      int length = places.size();
      json.name("frameTable").beginObject();
      json.name("address").beginArray();
      for (Place place : places) {
        json.value(hasLibrary(place) ? TimedSamples.address(place.frame()) : NONE);
      }
      json.endArray();
      column(
          "lib",
          length,
          i -> hasLibrary(places.get(i)) ? libraries.get(module(places.get(i))) : NONE);
      column("inlineDepth", length, i -> 0);
      column("category", length, i -> category(places.get(i)).ordinal());
      column("subcategory", length, i -> 0);
      column("func", length, i -> functionOfPlace[i]);
      nulls("nativeSymbol", length);
      column("innerWindowID", length, i -> 0);
      json.name("line").beginArray();
      for (Place place : places) {
        if (place.frame() != null && place.frame().line() > 0) {
          json.value(place.frame().line());
        } else {
          json.nullValue();
        }
      }
      json.endArray();
      nulls("column", length);
      nulls("originalLocation", length);
      json.name("length").value(length).endObject();
    }

    private void funcTable() throws IOException {
      int length = functionPlaces.size();
      json.name("funcTable").beginObject();
      column("name", length, i -> index(strings, functionName(functionPlaces.get(i))));
      flags("isJS", length);
      flags("relevantForJS", length);
      column(
          "resource",
          length,
          i -> {
            String library = libraryName(functionPlaces.get(i));
            return library.isEmpty() ? NONE : index(resources, library);
          });
      json.name("source").beginArray();
      for (Place place : functionPlaces) {
        SampledMethod method = place.frame() == null ? null : place.frame().method();
        if (method == null || method.sourceFile().isEmpty()) {
          json.nullValue();
        } else {
          json.value(index(sources, Names.printable(path(method))));
        }
      }
      json.endArray();
      nulls("lineNumber", length);
      nulls("columnNumber", length);
      nulls("originalLocation", length);
      json.name("length").value(length).endObject();
    }

    private void otherTables() throws IOException {
      List<Integer> resourceNames = new ArrayList<>();
      resources.keySet().forEach(name -> resourceNames.add(index(strings, name)));
      json.name("resourceTable").beginObject();
      json.name("length").value(resourceNames.size());
      column("name", resourceNames.size(), resourceNames::get);
      nulls("host", resourceNames.size());
      column("type", resourceNames.size(), i -> LIBRARY_RESOURCE);
      json.endObject();
      json.name("nativeSymbols").beginObject();
      for (String column : List.of("libIndex", "address", "name", "functionSize")) {
        nulls(column, 0);
      }
      json.name("length").value(0).endObject();
      List<Integer> sourceNames = new ArrayList<>();
      sources.keySet().forEach(name -> sourceNames.add(index(strings, name)));
      json.name("sources").beginObject();
      json.name("length").value(sourceNames.size());
      nulls("id", sourceNames.size());
      column("filename", sourceNames.size(), sourceNames::get);
      column("startLine", sourceNames.size(), i -> 1);
      column("startColumn", sourceNames.size(), i -> 1);
      nulls("sourceMapURL", sourceNames.size());
      nulls("content", sourceNames.size());
      json.endObject();
      json.name("sourceLocationTable").beginObject();
      for (String column : List.of("source", "line", "column")) {
        nulls(column, 0);
      }
      json.name("length").value(0).endObject();
      json.name("stringArray").beginArray();
      for (String text : strings.keySet()) {
        json.value(text);
      }
      json.endArray();
    }

    private void thread(ThreadSamples thread) throws IOException {
      String pid = Long.toString(thread.session.pid());
      json.beginObject();
      json.name("processType").value("default");
      json.name("processStartupTime").value(0);
      json.name("processShutdownTime").nullValue();
      json.name("registerTime").value(0);
      json.name("unregisterTime").nullValue();
      json.name("pausedRanges").beginArray().endArray();
      json.name("name").value(thread.name());
      json.name("isMainThread").value(thread.thread.name().equals("main"));
      json.name("processName").value("process " + pid);
      json.name("pid").value(pid);
      json.name("tid").value(tid(thread));
      json.name("samples").beginObject();
      int length = thread.count();
      column("stack", length, thread::stack);
      json.name("time").beginArray();
      for (int i = 0; i < length; i++) {
        json.value(millis(thread.time(i) - start));
      }
      json.endArray();
      json.name("weight").beginArray();
      for (int i = 0; i < length; i++) {
        if (recording.choice().isEvent()) {
          json.value(thread.weightNanos(i));
        } else {
          json.value(millis(thread.weightNanos(i)));
        }
      }
      json.endArray();
      // The viewer's other types are of samples and bytes (src/types/profile.ts, WeightType).
      json.name("weightType")
          .value(
              switch (recording.choice().unit()) {
                case NANOSECONDS -> "tracing-ms";
                case EVENTS -> "samples";
                case BYTES -> "bytes";
              });
      json.name("threadCPUDelta").beginArray();
      for (int i = 0; i < length; i++) {
        json.value(thread.isCpu(i) ? thread.weightNanos(i) : 0);
      }
      json.endArray();
      json.name("length").value(length).endObject();
      json.name("markers").beginObject();
      for (String column : List.of("data", "name", "startTime", "endTime", "phase", "category")) {
        nulls(column, 0);
      }
      json.name("length").value(0).endObject();
      json.endObject();
    }

    private void column(String name, int length, IntUnaryOperator value) throws IOException {
      json.name(name).beginArray();
      for (int i = 0; i < length; i++) {
        json.value(value.applyAsInt(i));
      }
      json.endArray();
    }

    private void nulls(String name, int length) throws IOException {
      json.name(name).beginArray();
      for (int i = 0; i < length; i++) {
        json.nullValue();
      }
      json.endArray();
    }

    private void flags(String name, int length) throws IOException {
      json.name(name).beginArray();
      for (int i = 0; i < length; i++) {
        json.value(false);
      }
      json.endArray();
    }
  }

  private static <T> int index(Map<T, Integer> table, T entry) {
    return table.computeIfAbsent(entry, e -> table.size());
  }

  private static double millis(long nanos) {
    return nanos / NANOS_PER_MILLI;
  }

  /** The thread's id of the OS; for a virtual thread, which has none, a text of its own. */
  private static String tid(ThreadSamples thread) {
    return thread.thread.isVirtual()
        ? "virtual " + thread.thread.javaId()
        : Long.toString(thread.thread.osThreadId());
  }

  private static SampledModule module(Place place) {
    return place.frame() == null ? null : place.frame().method().module();
  }

  private static boolean hasLibrary(Place place) {
    if (module(place) == null) {
      return false;
    }
    long address = TimedSamples.address(place.frame());
    return address >= 0 && address < MAX_EXACT;
  }

  private static String libraryName(Place place) {
    return place.frame() == null ? "" : Names.printable(FrameText.of(place.frame()).library());
  }

  /** The text without the library in brackets, which the profiler shows beside it. */
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
      case C1, C1_OSR, C2, C2_OSR, INLINED -> "green";
      case NATIVE_METHOD -> "lightblue";
      case STUB -> "purple";
      case CONTINUATION -> "magenta";
      case UNKNOWN -> "grey";
      case MARKER -> "darkgrey";
    };
  }

  /** The id by which symbol servers name a library: the build id's first 16 bytes as a GUID. */
  static String breakpadId(String buildId) {
    String digits = buildId.toUpperCase(Locale.ROOT);
    if (!digits.matches("[0-9A-F]+")) {
      return "";
    }
    StringBuilder id = new StringBuilder(digits).append("0".repeat(GUID_DIGITS));
    id.setLength(GUID_DIGITS);
    int[] order = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    StringBuilder guid = new StringBuilder();
    for (int at : order) {
      guid.append(id, 2 * at, 2 * at + 2);
    }
    return guid.append('0').toString();
  }
}
