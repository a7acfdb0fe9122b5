package stackweave.fleet.ingest;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.SerializableConfiguration;
import scala.jdk.javaapi.CollectionConverters;
import stackweave.fleet.store.Table;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.jvm.JvmFacts;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/**
 * Reads the recordings of a task, one after the other: rows of {@link RawRows}. What can't be read
 * becomes a row of {@link Table#REJECTS}, and the task goes on.
 */
final class RecordingReader implements FlatMapFunction<Iterator<InputFile>, Row> {
  private static final long serialVersionUID = 1L;

  /** Ends the reasons of what is rejected for want of that option. */
  static final String PARTIAL_TAKES =
      " (--partial takes what can be read of files that nobody writes any more)";

  private static final JvmFacts UNKNOWN = new JvmFacts(Map.of(), Map.of(), "");

  /** Digits of a hash that name a recording in the tables. */
  private static final int SOURCE_DIGITS = 16;

  /**
   * What is the same for all files of a run.
   *
   * @param known what earlier runs have read, by hash: its path
   * @param earlier what earlier runs have read at the paths of this one: size and hash
   * @param patterns facts in paths; the first one that knows a fact holds
   * @param partial whether what can be read of damaged recordings is taken
   * @param maxBytes of an unpacked recording
   * @param readAt when the run began
   */
  record Settings(
      Map<String, String> known,
      Map<String, Earlier> earlier,
      List<PathPattern> patterns,
      boolean partial,
      long maxBytes,
      Instant readAt)
      implements Serializable {}

  /** What was read at a path. */
  record Earlier(long size, String sha256) implements Serializable {}

  /** A file that is not read; the message says why. */
  private static final class RejectedException extends Exception {
    private static final long serialVersionUID = 1L;

    RejectedException(String why) {
      super(why);
    }
  }

  private final Settings settings;
  private final SerializableConfiguration configuration;

  RecordingReader(Settings settings, SerializableConfiguration configuration) {
    this.settings = settings;
    this.configuration = configuration;
  }

  @Override
  public Iterator<Row> call(Iterator<InputFile> inputs) {
    return new Iterator<>() {
      private Iterator<Row> rows = List.<Row>of().iterator();

      @Override
      public boolean hasNext() {
        while (!rows.hasNext() && inputs.hasNext()) {
          rows = rows(inputs.next());
        }
        return rows.hasNext();
      }

      @Override
      public Row next() {
        return rows.next();
      }
    };
  }

  private Iterator<Row> rows(InputFile input) {
    String sha256 = null;
    try (LocalCopy copy = copy(input)) {
      checkWhole(input, copy);
      sha256 = copy.sha256(); // from here on the same file is rejected for good
      checkNew(input, copy);
      return rows(input, copy);
    } catch (RejectedException e) {
      return reject(input, sha256, e.getMessage());
    } catch (RecordingException e) {
      return reject(input, sha256, why(e));
    } catch (FileNotFoundException e) {
      return reject(input, sha256, "was deleted before it was read");
    } catch (IOException e) {
      return reject(input, sha256, "can't be read: " + e.getMessage());
    } catch (RuntimeException e) {
      // A defect of the reader must not end a run over thousands of files.
      return reject(input, sha256, "can't be read, unexpectedly: " + e);
    }
  }

  private LocalCopy copy(InputFile input) throws IOException {
    Earlier earlier = settings.earlier.get(input.path());
    long beginning = earlier != null && earlier.size < input.size() ? earlier.size : 0;
    return LocalCopy.of(input, beginning, settings.maxBytes, configuration.value());
  }

  /** Refuses a copy that is not of the file as it was listed, or not of all of it. */
  private void checkWhole(InputFile input, LocalCopy copy) throws IOException, RejectedException {
    if (copy.isTooLarge()) {
      throw new RejectedException(
          "is larger than " + (settings.maxBytes >> 20) + " MiB, the limit (--max-size)");
    }
    Path path = new Path(input.path());
    try {
      FileStatus now = path.getFileSystem(configuration.value()).getFileStatus(path);
      if (now.getLen() != input.size() || now.getModificationTime() != input.modified()) {
        // Its samples would count twice as soon as it has grown.
        throw new RejectedException("changed while it was read; the next run looks at it again");
      }
    } catch (FileNotFoundException e) {
      // It was deleted after it had been copied.
    }
  }

  /** Refuses what is in the tables already, also under another name, or as a file that grew. */
  private void checkNew(InputFile input, LocalCopy copy) throws RejectedException {
    String other = settings.known.get(copy.sha256());
    if (other != null) {
      throw new RejectedException("has been read already, as " + other);
    }
    Earlier earlier = settings.earlier.get(input.path());
    if (earlier != null && copy.hashOfBeginning().equals(earlier.sha256)) {
      throw new RejectedException(
          "has grown since it was read, and its samples would count twice: give Ingest files that"
              + " nobody writes any more");
    }
  }

  private Iterator<Row> rows(InputFile input, LocalCopy copy)
      throws IOException, RecordingException, RejectedException {
    if (!copy.damage().isEmpty() && !settings.partial) {
      throw new RejectedException(copy.damage() + PARTIAL_TAKES);
    }
    SampledRecording recording =
        SampledRecording.open(
            copy.file(),
            ReadingProgress.NONE,
            false,
            SampledFrame.Change.NONE,
            SampleChoice.EVERYTHING);
    if (!recording.isWhole() && !settings.partial) {
      throw new RejectedException(String.join("; ", recording.losses()) + PARTIAL_TAKES);
    }
    String source = copy.sha256().substring(0, SOURCE_DIGITS);
    Map<String, Origin> origins = origins(input, recording, copy.file());
    RecordingSums sums = new RecordingSums(recording, source, origins);
    Row ofSource = sourceRow(input, copy, recording, sums, origins);
    return new RawRows(input)
        .then(Table.SAMPLES, sums.sampleRows())
        .then(Table.STACKS, sums.stackRows())
        .then(Table.SOURCES, List.of(ofSource).iterator());
  }

  private Map<String, Origin> origins(
      InputFile input, SampledRecording recording, java.nio.file.Path file)
      throws IOException, RecordingException {
    Map<String, String> ofPath = new HashMap<>();
    for (PathPattern pattern : settings.patterns) {
      pattern.facts(input.path()).forEach(ofPath::putIfAbsent);
    }
    Map<String, JvmFacts> facts = JvmFacts.read(file);
    Map<String, Origin> origins = new HashMap<>();
    for (SessionFacts session : recording.sessions()) {
      JvmFacts own = facts.getOrDefault(session.uuid(), UNKNOWN);
      origins.put(session.uuid(), Origin.of(own.properties(), own.environment(), ofPath));
    }
    return origins;
  }

  private Row sourceRow(
      InputFile input,
      LocalCopy copy,
      SampledRecording recording,
      RecordingSums sums,
      Map<String, Origin> origins) {
    SessionFacts session = recording.sessions().get(0);
    Origin origin = origins.get(session.uuid());
    SamplerFigures figures = recording.figures();
    Map<String, Long> byName = new TreeMap<>();
    for (Counter counter : Counter.values()) {
      byName.put(counter.field(), figures.get(counter));
    }
    List<String> losses = new ArrayList<>(recording.losses());
    if (!copy.damage().isEmpty()) {
      losses.add(copy.damage());
    }
    return RowFactory.create(
        copy.sha256().substring(0, SOURCE_DIGITS),
        input.path(),
        input.size(),
        new Timestamp(input.modified()),
        copy.sha256(),
        Timestamp.from(settings.readAt),
        origin.service(),
        RecordingSums.textOrNull(origin.version()),
        RecordingSums.textOrNull(origin.host()),
        session.pid(),
        session.uuid(),
        recording.sessions().size(),
        session.jdk(),
        session.agentVersion(),
        Timestamp.from(recording.first()),
        Timestamp.from(recording.last()),
        sums.samples(),
        recording.unresolved(),
        figures.get(Counter.LOST),
        figures.get(Counter.CPU_USED),
        figures.get(Counter.CPU_COVERED),
        figures.get(Counter.CPU_MISSED),
        RecordingSums.textOrNull(String.join("; ", losses)),
        CollectionConverters.asScala(byName));
  }

  /** The reason of the reader's message, without the name of the copy. */
  private static String why(RecordingException e) {
    return e.isWithoutSamples()
        ? e.whyWithoutSamples()
        : e.getMessage().replaceFirst("^.*?\\.jfr: ", "");
  }

  private Iterator<Row> reject(InputFile input, String sha256, String reason) {
    Row row =
        RowFactory.create(
            input.path(),
            input.size(),
            new Timestamp(input.modified()),
            sha256,
            Timestamp.from(settings.readAt),
            reason);
    return new RawRows(input).then(Table.REJECTS, List.of(row).iterator());
  }
}
