package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventConstants.EventThread;
import stackweave.jfr.chunk.EventConstants.Frame;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.load.NativeLibraryLoad;
import stackweave.jfr.event.load.NativeLibraryMapped;
import stackweave.jfr.read.ChunkEvents;
import stackweave.jfr.read.RecordingException;

/** The loads of libraries in a recording, each with the address at which the library was mapped. */
final class RecordedLoads implements ChunkEvents.Taker {
  /** Classes whose frames are between dlopen and the code that wanted the library. */
  private static final Pattern MACHINERY =
      Pattern.compile(
          "stackweave[.]agent[.].*|jdk[.]internal[.](loader|foreign)[.].*|java[.]lang[.]foreign[.].*"
              + "|java[.]lang[.](System|Runtime|ClassLoader)([$].*)?"
              + "|java[.]security[.]AccessController");

  private static final int LOAD = 0;
  private static final int MAPPED = 1;
  private static final int SESSION = 2;

  /** Stands for the number of a load that only the JVM has recorded. */
  private static final long NO_NUMBER = -1;

  /** Prefix of the agent's threads, whose libraries are not the application's. */
  private static final String OWN_THREADS = "stackweave-";

  private static final String OWN_CLASSES = "stackweave.agent.";

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(
              NativeLibraryLoad.NAME,
              "startTime duration eventThread stackTrace path loaded error load foreign"),
          EventShape.of(NativeLibraryMapped.NAME, "load path start"),
          EventShape.of(Session.NAME, "uuid jvmStart"),
          // Since JDK 22; has also loads before sampling began, or without instrumentation.
          EventShape.of(
              "jdk.NativeLibraryLoad",
              "startTime duration eventThread stackTrace name success errorMessage"));

  /**
   * Where a library was mapped.
   *
   * @param path as mapped
   * @param start first mapped address of its code
   */
  record Mapped(String path, long start) {}

  /**
   * A load.
   *
   * @param sinceStartNanos time from the JVM's start to its begin; negative if unknown
   * @param nanos how long it took: dlopen, constructors and JNI_OnLoad
   * @param thread name of the thread that loaded
   * @param stack its stack, from the caller of the JDK's classes for loading on
   * @param mapped null if not found; it may be in a later chunk
   */
  record Load(
      Key key,
      long sinceStartNanos,
      long nanos,
      String thread,
      List<Frame> stack,
      Raw raw,
      Mapped mapped) {
    private Load with(Mapped place) {
      return new Load(key, sinceStartNanos, nanos, thread, stack, raw, place);
    }

    /** Path of the library as mapped, as far as it is known. */
    String file() {
      return mapped == null ? raw.path : mapped.path();
    }

    /** Its name without directories. */
    String name() {
      return file().substring(file().lastIndexOf('/') + 1);
    }

    /** The caller of the JDK's method; empty if that is not known. */
    String caller() {
      return stack.isEmpty() ? "" : text(stack.get(0));
    }
  }

  record Key(String session, long load) {}

  /**
   * A load as its chunk has it; times are in ticks, thread and stack are keys.
   *
   * @param path what dlopen was called with
   * @param error why it failed, if it did and the reason is known
   */
  record Raw(
      long load,
      long start,
      long duration,
      long thread,
      long stack,
      String path,
      boolean isForeign,
      boolean isLoaded,
      String error) {
    boolean covers(long ticks) {
      return start <= ticks && ticks <= start + duration;
    }
  }

  private final List<Load> found = new ArrayList<>();
  private final Map<Key, Mapped> mapped = new HashMap<>();
  private String session = "";
  private long jvmStartNanos;

  // Of the present chunk.
  private final List<Raw> own = new ArrayList<>();
  private final List<Raw> ofJvm = new ArrayList<>();
  private final Map<Long, Mapped> mappedOfChunk = new HashMap<>();

  private RecordedLoads() {}

  /**
   * Reads a recording; the longest first.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static List<Load> read(Path file) throws IOException, RecordingException {
    RecordedLoads reading = new RecordedLoads();
    ChunkEvents.read(file, SHAPES, reading);
    return reading.found.stream()
        .map(load -> load.with(reading.mapped.get(load.key)))
        .sorted(Comparator.comparingLong(Load::nanos).reversed())
        .toList();
  }

  @Override
  public void take(int shape, ChunkReader event) throws IOException {
    switch (shape) {
      case MAPPED -> mappedOfChunk.put(event.number(0), new Mapped(event.text(1), event.number(2)));
      case SESSION -> {
        session = event.text(0);
        jvmStartNanos = event.number(1) * 1_000_000;
      }
      default -> {
        boolean isOfJvm = shape != LOAD;
        boolean isLoaded = event.number(5) != 0;
        Raw raw =
            new Raw(
                isOfJvm ? NO_NUMBER : event.number(7),
                event.number(0),
                event.number(1),
                event.number(2),
                event.number(3),
                event.text(4),
                !isOfJvm && event.number(8) != 0,
                isLoaded,
                isOfJvm && isLoaded ? "" : event.text(6));
        (isOfJvm ? ofJvm : own).add(raw);
      }
    }
  }

  @Override
  public void end(ChunkHeader chunk, EventConstants constants) {
    mappedOfChunk.forEach((load, place) -> mapped.put(new Key(session, load), place));
    List<Raw> raws = new ArrayList<>(own);
    addOthers(raws);
    Map<Long, List<Frame>> traces =
        constants.stacks(raws.stream().map(Raw::stack).collect(Collectors.toSet()));
    Map<Long, EventThread> names =
        constants.threads(raws.stream().map(Raw::thread).collect(Collectors.toSet()));
    for (Raw raw : raws) {
      String thread = names.getOrDefault(raw.thread, EventThread.UNKNOWN).name();
      List<Frame> stack = traces.getOrDefault(raw.stack, List.of());
      if (!isOwn(thread, stack)) {
        long start = chunk.nanosAt(raw.start);
        found.add(
            new Load(
                new Key(session, raw.load),
                jvmStartNanos == 0 ? -1 : start - jvmStartNanos,
                Math.max(0, chunk.nanosAt(raw.start + raw.duration) - start),
                thread,
                ofCaller(stack),
                raw,
                null));
      }
    }
    own.clear();
    ofJvm.clear();
    mappedOfChunk.clear();
  }

  /** A frame as text. */
  static String text(Frame frame) {
    String name = frame.className() + "." + frame.method();
    return frame.line() > 0 ? name + ":" + frame.line() : name;
  }

  /**
   * Whether a load is the agent's.
   *
   * @param stack as recorded
   */
  static boolean isOwn(String thread, List<Frame> stack) {
    if (thread.startsWith(OWN_THREADS)) {
      return true;
    }
    int first = 0; // skips the frames of the agent's event, which is written after the load
    while (first < stack.size() && isOwn(stack.get(first))) {
      first++;
    }
    return stack.subList(first, stack.size()).stream().anyMatch(RecordedLoads::isOwn);
  }

  private static boolean isOwn(Frame frame) {
    return frame.className().startsWith(OWN_CLASSES);
  }

  /** Adds the loads that only the JVM has recorded: dlopen is within the JDK's {@code open}. */
  private void addOthers(List<Raw> raws) {
    for (Raw each : ofJvm) {
      long middle = each.start + each.duration / 2;
      // A library that needs an executable stack is loaded by the VM's own thread, while the
      // requesting thread waits (os::Linux::dlopen_helper, VM_LinuxDllLoad in os_linux.cpp).
      boolean isKnown =
          own.stream()
              .anyMatch(
                  load ->
                      load.covers(middle)
                          && (load.thread == each.thread || load.path.equals(each.path)));
      if (!isKnown) {
        raws.add(each);
      }
    }
  }

  private static List<Frame> ofCaller(List<Frame> stack) {
    int first = 0;
    while (first < stack.size() && MACHINERY.matcher(stack.get(first).className()).matches()) {
      first++;
    }
    return stack.subList(first, stack.size());
  }
}
