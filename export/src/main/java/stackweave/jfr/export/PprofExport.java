package stackweave.jfr.export;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.status.Counter;

/**
 * A profile for pprof: a gzipped message of {@code profile.proto} of github.com/google/pprof.
 * Sample types are {@code samples} in {@code count} and {@code cpu} in {@code nanoseconds}, or
 * {@code wall} if the samples of waiting threads are among those that were read, or an event's name
 * with its unit; labels are the thread, its id, its state, the kind of the innermost frame, and, if
 * there are several processes, the process id. Methods inlined by the JVM are lines of the location
 * that they are inlined into.
 *
 * <p>Mappings begin at address 0, since addresses are those of the library's own file ({@link
 * ProfileTables}): pprof then symbolises them without knowing where the library was loaded.
 * Comments say where it was. Holds the sums of samples and the message in memory.
 */
public final class PprofExport implements Export<SampledRecording> {
  // Fields of Profile.
  private static final int SAMPLE_TYPE = 1;
  private static final int SAMPLE = 2;
  private static final int MAPPING = 3;
  private static final int LOCATION = 4;
  private static final int FUNCTION = 5;
  private static final int STRING_TABLE = 6;
  private static final int TIME_NANOS = 9;
  private static final int DURATION_NANOS = 10;
  private static final int PERIOD_TYPE = 11;
  private static final int PERIOD = 12;
  private static final int COMMENT = 13;
  private static final int DEFAULT_SAMPLE_TYPE = 14;

  private final Selection selection;

  /**
   * @param selection which samples are in it
   */
  public PprofExport(Selection selection) {
    this.selection = selection;
  }

  @Override
  public void write(SampledRecording recording, OutputStream out)
      throws IOException, RecordingException {
    Protobuf profile = new Message(recording).make();
    GZIPOutputStream zipped = new GZIPOutputStream(out);
    profile.writeTo(zipped);
    zipped.finish();
    out.flush();
  }

  /** What the samples of one sum have in common. */
  private record Key(int stack, List<Label> labels) {}

  /** Both are indices of strings. */
  private record Label(int key, int text) {}

  /** The message of one recording. */
  private final class Message {
    private final SampledRecording recording;
    private final boolean severalProcesses;
    private final ProfileTables tables = new ProfileTables();
    private final Map<Key, long[]> samples = new LinkedHashMap<>();

    /** Libraries with functions that have no symbol. */
    private final Set<SampledModule> incomplete = new HashSet<>();

    private final Protobuf profile = new Protobuf();

    Message(SampledRecording recording) {
      this.recording = recording;
      this.severalProcesses = recording.sessions().size() > 1;
    }

    Protobuf make() throws RecordingException {
      FrameCache<Boolean> named = new FrameCache<>(f -> !FrameText.of(f).symbol().isEmpty());
      selection.forEachSum(
          recording,
          sum -> {
            Key key = new Key(tables.stack(sum.end(), sum.frames()), labels(sum));
            long[] values = samples.computeIfAbsent(key, k -> new long[2]);
            values[0] += sum.count();
            values[1] += sum.weightNanos();
            sum.frames().stream()
                .filter(frame -> frame.method().module() != null && !named.get(frame))
                .forEach(frame -> incomplete.add(frame.method().module()));
          });
      header();
      samples();
      mappings();
      int id = 1;
      for (ProfileTables.Location location : tables.locations.entries()) {
        location(id++, location);
      }
      id = 1;
      for (ProfileTables.Function function : tables.functions.entries()) {
        profile.message(
            FUNCTION,
            new Protobuf()
                .number(1, id++)
                .number(2, function.name())
                .number(3, function.systemName())
                .number(4, function.file()));
      }
      for (String text : tables.strings.entries()) {
        profile.string(STRING_TABLE, text);
      }
      return profile;
    }

    /** Keys that the agent's own facts use. */
    private static final Set<String> OWN =
        Set.of("thread", "thread_id", "state", "kind", "guessed", "context_id", "process_id");

    private List<Label> labels(SampleSum sum) {
      List<Label> labels = new ArrayList<>();
      label(labels, "thread", sum.thread().text());
      long id = sum.thread().osThreadId();
      label(labels, "thread_id", id == 0 ? "" : Long.toString(id));
      label(labels, "state", sum.state());
      label(labels, "kind", tables.kind(sum.frames()));
      label(labels, "guessed", ProfileTables.guessed(sum.frames()));
      label(labels, "context_id", sum.contextId() == 0 ? "" : Long.toHexString(sum.contextId()));
      sum.context()
          .all()
          .forEach((key, value) -> label(labels, OWN.contains(key) ? "label." + key : key, value));
      label(labels, "process_id", severalProcesses ? Long.toString(sum.session().pid()) : "");
      return labels;
    }

    /** Adds a label unless it is empty. As text, since pprof would add units to numbers. */
    private void label(List<Label> labels, String key, String text) {
      if (!text.isEmpty()) {
        labels.add(new Label(tables.string(key), tables.string(text)));
      }
    }

    private void header() {
      valueType(SAMPLE_TYPE, "samples", "count");
      String time = recording.choice().type();
      String unit = recording.choice().unit().label();
      boolean isEvent = recording.choice().isEvent();
      valueType(SAMPLE_TYPE, time, unit);
      valueType(PERIOD_TYPE, isEvent ? time : "cpu", isEvent ? unit : "nanoseconds");
      profile.number(
          PERIOD, recording.figures().get(isEvent ? Counter.EVENT_INTERVAL : Counter.INTERVAL));
      profile.number(DEFAULT_SAMPLE_TYPE, tables.string(time));
      Instant first = selection.first(recording);
      profile.number(TIME_NANOS, Texts.nanos(first));
      Duration length = Duration.between(first, selection.last(recording));
      profile.number(DURATION_NANOS, Texts.nanos(length));
      List<Integer> comments = new ArrayList<>();
      for (SessionFacts session : recording.sessions()) {
        comments.add(
            tables.string(
                Texts.of(
                    "process %d: %s%s; sampled by %s",
                    session.pid(),
                    session.jdk(),
                    session.abi().isEmpty() ? "" : ", " + session.abi(),
                    recording.isOfAgent()
                        ? "Stackweave " + session.agentVersion()
                        : recording.figures().engine())));
      }
      for (String note : RecordingFacts.notes(recording)) {
        comments.add(tables.string(note));
      }
      profile.packed(COMMENT, comments);
    }

    private void valueType(int field, String type, String unit) {
      profile.message(
          field, new Protobuf().number(1, tables.string(type)).number(2, tables.string(unit)));
    }

    private void samples() {
      samples.forEach(
          (key, values) -> {
            Protobuf part = new Protobuf();
            part.packed(1, tables.stacks.get(key.stack()));
            part.packed(2, List.of(values[0], values[1]));
            for (Label label : key.labels()) {
              part.message(3, new Protobuf().number(1, label.key()).number(2, label.text()));
            }
            profile.message(SAMPLE, part);
          });
    }

    /** Writes the JVM's library first: pprof takes the first mapping for the program. */
    private void mappings() {
      tables.mappings.entries().stream()
          .sorted(Comparator.comparing(module -> !module.name().equals(FrameCategory.LIBJVM)))
          .forEach(module -> profile.message(MAPPING, mapping(module)));
    }

    private Protobuf mapping(SampledModule module) {
      Protobuf mapping = new Protobuf();
      mapping.number(1, tables.mappings.of(module));
      mapping.number(3, -1L); // memory_limit, unsigned; memory_start and file_offset are 0
      mapping.number(5, tables.string(module.path()));
      mapping.number(6, tables.string(module.buildId()));
      mapping.number(7, incomplete.contains(module) ? 0 : 1); // has_functions
      // not has_filenames, has_line_numbers, has_inline_frames: those of Java frames are in no
      // mapping
      return mapping;
    }

    private void location(int id, ProfileTables.Location location) {
      Protobuf part = new Protobuf();
      part.number(1, id).number(2, location.mapping()).number(3, location.address());
      for (ProfileTables.Line line : location.lines()) {
        part.message(4, new Protobuf().number(1, line.function()).number(2, line.line()));
      }
      profile.message(LOCATION, part);
    }
  }
}
