package stackweave.jfr.export.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.chunk.EventThreads;
import stackweave.jfr.chunk.EventThreads.EventThread;
import stackweave.jfr.chunk.StackTraces;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.load.NativeLibraryLoad;
import stackweave.jfr.event.load.NativeLibraryMapped;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;

/** The loads of libraries in a recording, each with the place where the library lies. Stateless. */
final class LibraryLoads {
  /** Frames that are between dlopen and whoever wanted the library. */
  private static final Pattern MACHINERY =
      Pattern.compile(
          "stackweave[.]agent[.].*|jdk[.]internal[.](loader|foreign)[.].*|java[.]lang[.]foreign[.].*"
              + "|java[.]lang[.](System|Runtime|ClassLoader)([$].*)?"
              + "|java[.]security[.]AccessController");

  private static final int LOAD = 0;
  private static final int MAPPED = 1;
  private static final int SESSION = 2;
  private static final int JVM_LOAD = 3;

  /** The number of a load that only the JVM has told of. */
  private static final long NO_NUMBER = -1;

  /** How many loads before a time are looked at: those in JNI_OnLoad of the one that goes on. */
  private static final int MAX_BEFORE = 1_000;

  /** Threads of the agent, whose libraries are none of the application's. */
  private static final String OWN_THREADS = "stackweave-";

  private static final String OWN_CLASSES = "stackweave.agent.";

  /** The JVM's thread on which agents are attached to it. */
  private static final String ATTACH_THREAD = "Attach Listener";

  /** Classes of java.lang.instrument's implementation. */
  private static final String INSTRUMENT_CLASSES = "sun.instrument.";

  /** What the JDK needs to start an agent: libzip for a jar on the boot class path. */
  private static final Pattern OF_ATTACH = Pattern.compile("(.*/)?lib(instrument|zip)[.]so");

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(
              NativeLibraryLoad.NAME,
              "startTime duration eventThread stackTrace load path foreign loaded error"),
          EventShape.of(NativeLibraryMapped.NAME, "load path start fileKept"),
          EventShape.of(Session.NAME, "uuid jvmStart"),
          // Since JDK 22; also of loads before sampling began, or without instrumentation.
          EventShape.of(
              "jdk.NativeLibraryLoad",
              "startTime duration eventThread stackTrace name success errorMessage"));

  private LibraryLoads() {}

  /**
   * Where a library came to lie.
   *
   * @param path as mapped
   * @param start first mapped address of its code
   * @param isFileKept whether its file was held open until it was read
   */
  record Mapped(String path, long start, boolean isFileKept) {}

  /**
   * A load.
   *
   * @param sinceStartNanos when it began, after the JVM's start; negative if that is not known
   * @param nanos how long it took: dlopen, constructors and JNI_OnLoad
   * @param thread name of the thread that loaded
   * @param stack of it, the caller of the JDK's classes for loading first
   * @param path what dlopen was called with
   * @param error why it failed, if it did and that is known
   * @param mapped null if it was not found
   */
  record Load(
      long sinceStartNanos,
      long nanos,
      String thread,
      List<StackTraces.Frame> stack,
      String path,
      boolean isForeign,
      boolean isLoaded,
      String error,
      Mapped mapped) {

    /** Path of the library as mapped, as far as it is known. */
    String file() {
      return mapped == null ? path : mapped.path();
    }

    /** Its name without directories. */
    String name() {
      return file().substring(file().lastIndexOf('/') + 1);
    }

    /** Who called the JDK for it; empty if that is not known. */
    String caller() {
      return stack.isEmpty() ? "" : text(stack.get(0));
    }
  }

  /** A frame as text. */
  static String text(StackTraces.Frame frame) {
    String name = frame.className() + "." + frame.method();
    return frame.line() > 0 ? name + ":" + frame.line() : name;
  }

  private record Key(String session, long load) {}

  private record Raw(
      long load,
      long startTicks,
      long durationTicks,
      long thread,
      long stack,
      String path,
      boolean isForeign,
      boolean isLoaded,
      String error) {}

  /** What is read of a file before it is joined. */
  private static final class Reading {
    private final List<Load> loads = new ArrayList<>();
    private final Map<Key, Mapped> mapped = new HashMap<>();
    private final Map<Key, Integer> places = new HashMap<>();
    private String session = "";
    private long jvmStartNanos;
  }

  /**
   * Reads a recording; of a damaged chunk what is before the damage.
   *
   * @return the longest first
   */
  static List<Load> read(Path file) throws IOException {
    Reading reading = new Reading();
    try (ChunkSource source = new ChunkSource(file)) {
      for (ChunkHeader header : ChunkList.scan(file).chunks()) {
        read(source, header, reading);
      }
    } catch (RecordingException e) {
      return List.of(); // who asks has read the file before
    }
    // Where a library lies may be said in a later chunk than that it was loaded.
    reading.places.forEach(
        (key, place) -> {
          Load load = reading.loads.get(place);
          reading.loads.set(place, with(load, reading.mapped.get(key)));
        });
    reading.loads.sort(Comparator.comparingLong(Load::nanos).reversed());
    return reading.loads;
  }

  private static Load with(Load load, Mapped mapped) {
    return new Load(
        load.sinceStartNanos(),
        load.nanos(),
        load.thread(),
        load.stack(),
        load.path(),
        load.isForeign(),
        load.isLoaded(),
        load.error(),
        mapped);
  }

  private static void read(ChunkSource source, ChunkHeader header, Reading reading) {
    List<Raw> raws = new ArrayList<>();
    List<Raw> jvmRaws = new ArrayList<>();
    Map<Long, Mapped> places = new HashMap<>();
    try {
      ChunkReader events = new ChunkReader(source, header, SHAPES);
      for (int shape = events.next(); shape >= 0; shape = events.next()) {
        switch (shape) {
          case LOAD -> raws.add(raw(events));
          case JVM_LOAD -> jvmRaws.add(jvmRaw(events));
          case MAPPED ->
              places.put(
                  events.number(0),
                  new Mapped(events.text(1), events.number(2), events.number(3) != 0));
          case SESSION -> {
            reading.session = events.text(0);
            reading.jvmStartNanos = events.number(1) * 1_000_000;
          }
          default -> throw new IllegalStateException("shape " + shape);
        }
      }
    } catch (IOException e) {
      // What was read stands.
    }
    places.forEach((load, place) -> reading.mapped.put(new Key(reading.session, load), place));
    addOthers(jvmRaws, raws);
    Set<Long> stacks = new HashSet<>();
    Set<Long> threads = new HashSet<>();
    for (Raw raw : raws) {
      stacks.add(raw.stack());
      threads.add(raw.thread());
    }
    Map<Long, List<StackTraces.Frame>> traces = Collections.emptyMap();
    Map<Long, EventThread> names = Collections.emptyMap();
    try {
      traces = StackTraces.read(source, header, stacks);
      names = EventThreads.read(source, header, threads);
    } catch (IOException e) {
      // The loads stand, without a stack.
    }
    for (Raw raw : raws) {
      String thread = names.getOrDefault(raw.thread(), EventThread.UNKNOWN).name();
      List<StackTraces.Frame> stack = traces.getOrDefault(raw.stack(), List.of());
      if (isOwn(thread, raw.path(), stack)) {
        continue;
      }
      long start = header.nanosAt(raw.startTicks());
      if (raw.load() != NO_NUMBER) {
        reading.places.put(new Key(reading.session, raw.load()), reading.loads.size());
      }
      reading.loads.add(
          new Load(
              reading.jvmStartNanos == 0 ? -1 : start - reading.jvmStartNanos,
              Math.max(0, header.nanosAt(raw.startTicks() + raw.durationTicks()) - start),
              thread,
              ofCaller(stack),
              raw.path(),
              raw.isForeign(),
              raw.isLoaded(),
              raw.error(),
              null));
    }
  }

  /**
   * Whether a load is none of the application's, but the agent's, or the JDK's to start an agent.
   *
   * @param stack as recorded
   */
  static boolean isOwn(String thread, String path, List<StackTraces.Frame> stack) {
    if (thread.startsWith(OWN_THREADS)) {
      return true;
    }
    int first = 0; // behind those of the agent's event, which is written when the load has ended
    while (first < stack.size() && isOwn(stack.get(first))) {
      first++;
    }
    for (StackTraces.Frame frame : stack.subList(first, stack.size())) {
      if (isOwn(frame)) {
        return true;
      }
    }
    List<StackTraces.Frame> callers = ofCaller(stack);
    boolean isForAgent =
        callers.isEmpty()
            ? thread.equals(ATTACH_THREAD)
            : callers.get(0).className().startsWith(INSTRUMENT_CLASSES);
    return isForAgent && OF_ATTACH.matcher(path).matches();
  }

  private static boolean isOwn(StackTraces.Frame frame) {
    return frame.className().startsWith(OWN_CLASSES);
  }

  private static Raw raw(ChunkReader events) throws IOException {
    return new Raw(
        events.number(4),
        events.number(0),
        events.number(1),
        events.number(2),
        events.number(3),
        events.text(5),
        events.number(6) != 0,
        events.number(7) != 0,
        events.text(8));
  }

  private static Raw jvmRaw(ChunkReader events) throws IOException {
    boolean isLoaded = events.number(5) != 0;
    return new Raw(
        NO_NUMBER,
        events.number(0),
        events.number(1),
        events.number(2),
        events.number(3),
        events.text(4),
        false,
        isLoaded,
        isLoaded ? "" : events.text(6));
  }

  /** Adds what the JVM tells of other loads than ours: dlopen is within the JDK's {@code open}. */
  private static void addOthers(List<Raw> jvmRaws, List<Raw> raws) {
    // Loads of a thread lie one behind the other, or one in the other: in JNI_OnLoad.
    Map<Long, TreeMap<Long, Raw>> own = new HashMap<>();
    for (Raw load : raws) {
      own.computeIfAbsent(load.thread(), thread -> new TreeMap<>()).put(load.startTicks(), load);
    }
    List<Raw> ours = List.copyOf(raws);
    for (Raw each : jvmRaws) {
      long middle = each.startTicks() + each.durationTicks() / 2;
      if (!isWithin(middle, own.getOrDefault(each.thread(), new TreeMap<>()))
          && !isLoadedForAnother(each, middle, ours)) {
        raws.add(each);
      }
    }
  }

  /**
   * A library that wants an executable stack is loaded by the VM's own thread, for the thread that
   * asked for it and waits (os::Linux::dlopen_helper, VM_LinuxDllLoad in os_linux.cpp).
   */
  private static boolean isLoadedForAnother(Raw load, long middle, List<Raw> ours) {
    for (Raw each : ours) {
      if (each.path().equals(load.path())
          && each.startTicks() <= middle
          && middle <= each.startTicks() + each.durationTicks()) {
        return true;
      }
    }
    return false;
  }

  private static boolean isWithin(long ticks, TreeMap<Long, Raw> loads) {
    int looked = 0;
    for (Raw load : loads.headMap(ticks, true).descendingMap().values()) {
      if (ticks <= load.startTicks() + load.durationTicks()) {
        return true;
      }
      if (++looked == MAX_BEFORE) {
        return false;
      }
    }
    return false;
  }

  private static List<StackTraces.Frame> ofCaller(List<StackTraces.Frame> stack) {
    int first = 0;
    while (first < stack.size() && MACHINERY.matcher(stack.get(first).className()).matches()) {
      first++;
    }
    return stack.subList(first, stack.size());
  }
}
