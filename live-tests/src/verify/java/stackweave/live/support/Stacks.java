package stackweave.live.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import stackweave.lab.recording.PlainDefinitions;
import stackweave.lab.recording.PlainDefinitions.SampledThread;
import stackweave.lab.recording.PlainSamples;
import stackweave.testing.EventsByTime;

/**
 * The stacks of a recording, put together from its events by the JDK's own reader, by
 * docs/events.md and by what the events say of themselves (legends and all): nothing of the
 * product's code has a part in it.
 */
public final class Stacks {
  /**
   * A frame; {@code kind} in the words of the session's legend, {@code module} a file name or "".
   */
  public record Frame(
      String kind,
      String module,
      String className,
      String name,
      int line,
      long offset,
      long symbolStart,
      String found,
      boolean isGuess) {

    public boolean isJava() {
      return !className.isEmpty();
    }

    public boolean isNative() {
      return kind.equals("native");
    }

    /** The name with its class, as a person says it. */
    public String qualifiedName() {
      return isJava() ? className + "." + name : name;
    }

    /**
     * Where a calling frame's return address is in its module: offsets are those of the call, one
     * byte before, since a call may be the last instruction of its function.
     */
    public long returnAddress() {
      return symbolStart + offset + 1;
    }
  }

  /**
   * Whose a sample is, as far as that is said beyond a thread's name.
   *
   * @param carrier name of a virtual thread's carrier, "" of others
   * @param sampledThread name of the Java thread that JFR itself has for the sample, or null
   */
  public record Owner(boolean virtual, long javaId, String carrier, String sampledThread) {}

  /** A sample; the frames are root first. */
  public record Sample(
      String thread,
      long osThread,
      Owner owner,
      Instant time,
      long weight,
      long stackId,
      String end,
      List<Frame> frames) {

    public Frame innermost() {
      return frames.get(frames.size() - 1);
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder("[" + thread + "] stack " + stackId + ", end: " + end);
      for (Frame frame : frames) {
        text.append("\n    ")
            .append(frame.qualifiedName())
            .append(frame.line() > 0 ? ":" + frame.line() : "")
            .append(" +0x")
            .append(Long.toHexString(frame.offset()))
            .append(" [")
            .append(frame.module())
            .append("] ")
            .append(frame.kind())
            .append(", by ")
            .append(frame.found());
      }
      return text.toString();
    }
  }

  /** A module as the recording describes it. */
  public record Library(String path, String unwindSource, String symbolsFrom, long functions) {}

  /** Sums over the SamplerStatus events. */
  public record Status(
      long taken,
      long written,
      long lost,
      long dropped,
      long undecodable,
      long cpuUsed,
      long cpuCovered,
      long drainCpu,
      long cpuMissed) {

    /** CPU time used while samples were taken. */
    public long cpuSampled() {
      return cpuUsed - cpuMissed;
    }

    /** Samples passed over, for which others stand. */
    public long thinned() {
      return taken - written - dropped - undecodable;
    }

    /** All samples that ought to be there. */
    public long owed() {
      return written + lost + dropped + undecodable;
    }
  }

  /** An event of the application: its name, its first text field, begin and end. */
  public record Mark(String event, String text, Instant begin, Instant end) {}

  private final List<Sample> samples = new ArrayList<>();
  private final List<Mark> marks = new ArrayList<>();
  private final List<Library> libraries = new ArrayList<>();
  private final Set<String> completeEnds;
  private final Status status;
  private final boolean endsEarly;
  private final long unresolved;

  private Stacks(List<RecordedEvent> events) {
    Map<Integer, String> kinds = new HashMap<>();
    Map<Integer, String> ends = new HashMap<>();
    Map<Integer, String> ways = new HashMap<>();
    List<String> guesses = new ArrayList<>();
    PlainDefinitions definitions = new PlainDefinitions();
    List<RecordedEvent> taken = new ArrayList<>();
    List<String> complete = new ArrayList<>();
    long[] sums = new long[9];
    boolean late = false;
    for (RecordedEvent event : events) {
      switch (event.getEventType().getName()) {
        case "stackweave.Session" -> {
          legend(event.getString("kindLegend"), kinds);
          legend(event.getString("endLegend"), ends);
          legend(event.getString("foundLegend"), ways);
          guesses.addAll(Arrays.asList(event.getString("guesses").split(",")));
          complete.addAll(Arrays.asList(event.getString("completeEnds").split("[, ]+")));
        }
        case PlainDefinitions.EVENT -> definitions.add(event);
        case "stackweave.StackSample" -> taken.add(event);
        case "stackweave.SamplerStatus" -> {
          String[] fields = {
            "taken",
            "written",
            "lost",
            "dropped",
            "undecodable",
            "cpuUsed",
            "cpuCovered",
            "drainCpu",
            "cpuMissed"
          };
          for (int i = 0; i < fields.length; i++) {
            sums[i] += event.getLong(fields[i]);
          }
          late |= PlainSamples.isOfEarlyEnd(event);
        }
        default -> {
          if (event.getEventType().getName().startsWith("test.")) {
            String text =
                event.getString(event.getFields().get(event.getFields().size() - 1).getName());
            marks.add(
                new Mark(
                    event.getEventType().getName(),
                    text,
                    event.getStartTime(),
                    event.getEndTime()));
          }
        }
      }
    }
    endsEarly = late;
    completeEnds = new java.util.HashSet<>();
    complete.forEach(code -> completeEnds.add(ends.get(Integer.parseInt(code))));
    status =
        new Status(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7], sums[8]);
    Map<Long, Library> modules = new HashMap<>();
    definitions.libraries.forEach(
        (id, library) ->
            modules.put(
                id,
                new Library(
                    library.path(),
                    library.unwindSource(),
                    library.symbolsFrom(),
                    library.functions())));
    libraries.addAll(modules.values());

    long missing = 0;
    for (RecordedEvent event : taken) {
      List<Frame> stack = new ArrayList<>();
      long id = event.getLong("stackId");
      while (id != 0) {
        PlainDefinitions.Frame frame = definitions.frames.get(id);
        PlainDefinitions.Method method =
            frame == null ? null : definitions.methods.get(frame.methodId());
        if (method == null) {
          missing++;
          break;
        }
        stack.add(frame(frame, method, kinds, modules, ways, guesses));
        id = frame.parentId();
      }
      Collections.reverse(stack);
      SampledThread thread = definitions.threads.get(event.getLong("threadId"));
      int end = definitions.attributes.get(event.getLong("attributesId")).end();
      samples.add(
          new Sample(
              thread == null ? "?" : thread.name(),
              thread == null ? -1 : thread.osThreadId(),
              owner(event, thread, definitions.threads.values()),
              event.getStartTime(),
              event.getLong("weight"),
              event.getLong("stackId"),
              ends.getOrDefault(end, "code " + end),
              stack));
    }
    unresolved = missing;
  }

  private static Owner owner(
      RecordedEvent sample, SampledThread thread, Collection<SampledThread> threads) {
    RecordedThread sampled = sample.getThread("sampledThread");
    long carrier = thread == null ? 0 : thread.carrierId();
    String carrierName =
        carrier == 0
            ? ""
            : threads.stream()
                .filter(t -> !t.virtual() && t.javaId() == carrier)
                .map(SampledThread::name)
                .findFirst()
                .orElse("?");
    return new Owner(
        thread != null && thread.virtual(),
        thread == null ? 0 : thread.javaId(),
        carrierName,
        sampled == null ? null : sampled.getJavaName());
  }

  /** Reads a whole recording. */
  public static Stacks of(Path recording) {
    try {
      return new Stacks(EventsByTime.of(recording));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Frame frame(
      PlainDefinitions.Frame frame,
      PlainDefinitions.Method method,
      Map<Integer, String> kinds,
      Map<Long, Library> modules,
      Map<Integer, String> ways,
      List<String> guesses) {
    Library module = modules.get(method.libraryId());
    return new Frame(
        kinds.getOrDefault(frame.kind(), "code " + frame.kind()),
        module == null ? "" : fileName(module.path()),
        method.className(),
        method.name(),
        frame.line(),
        frame.offset(),
        method.start(),
        ways.getOrDefault(frame.found(), "code " + frame.found()),
        guesses.contains(Integer.toString(frame.found())));
  }

  private static String fileName(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    return name.endsWith(" (deleted)") ? name.substring(0, name.length() - 10) : name;
  }

  private static void legend(String legend, Map<Integer, String> into) {
    for (String entry : legend.split(",")) {
      String[] sides = entry.strip().split("=", 2);
      into.put(Integer.parseInt(sides[0]), sides[1]);
    }
  }

  public List<Sample> samples() {
    return samples;
  }

  public Stream<Sample> of(Predicate<Sample> wanted) {
    return samples.stream().filter(wanted);
  }

  public List<Library> libraries() {
    return libraries;
  }

  public List<Mark> marks() {
    return marks;
  }

  public Status status() {
    return status;
  }

  /** Whether the machine gave the drain thread no CPU for what it had when the JVM ended. */
  public boolean endsEarly() {
    return endsEarly;
  }

  /** Samples whose stack leads to a frame or method that the recording does not hold. */
  public long unresolved() {
    return unresolved;
  }

  public boolean isComplete(Sample sample) {
    return completeEnds.contains(sample.end());
  }

  /** How many stacks end in which way, most frequent first. */
  public String endsTable() {
    Map<String, Long> counts = new TreeMap<>();
    samples.forEach(sample -> counts.merge(sample.end(), 1L, Long::sum));
    StringBuilder table = new StringBuilder();
    counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .forEach(
            end ->
                table.append(
                    String.format(
                        "  %9d  %6.3f %%  %s%n",
                        end.getValue(), 100.0 * end.getValue() / samples.size(), end.getKey())));
    return table.toString();
  }
}
