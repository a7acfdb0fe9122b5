package stackweave.fleet.ingest;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import stackweave.fleet.store.Table;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.jvm.JvmFacts;

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
          rows = new Reading(inputs.next());
        }
        return rows.hasNext();
      }

      @Override
      public Row next() {
        return rows.next();
      }
    };
  }

  /**
   * The rows of one file, piece by piece. If a piece can't be read, a row of {@link Table#REJECTS}
   * follows those of the pieces before, which count nothing then.
   */
  private final class Reading implements Iterator<Row> {
    private final InputFile input;
    private Iterator<Row> rows = List.<Row>of().iterator();
    private LocalCopy copy;
    private RecordingPieces pieces;
    private Function<SessionFacts, Origin> origins;
    private SourceFacts facts;
    private String sha256;
    private boolean isEnded;

    Reading(InputFile input) {
      this.input = input;
      TaskContext task = TaskContext.get();
      task.addTaskCompletionListener(
          (TaskCompletionListener) ended -> deleteCopy()); // also of a task that is ended
    }

    @Override
    public boolean hasNext() {
      while (!rows.hasNext() && !isEnded) {
        rows = more();
      }
      return rows.hasNext();
    }

    @Override
    public Row next() {
      return rows.next();
    }

    private Iterator<Row> more() {
      try {
        if (copy == null) {
          begin();
        }
        if (pieces.hasNext()) {
          return piece();
        }
        isEnded = true;
        deleteCopy();
        return new RawRows(input).then(Table.SOURCES, List.of(facts.row()).iterator());
      } catch (RejectedException e) {
        return reject(e.getMessage());
      } catch (RecordingException e) {
        return reject(why(e));
      } catch (FileNotFoundException e) {
        return reject("was deleted before it was read");
      } catch (IOException e) {
        return reject("can't be read: " + e.getMessage());
      } catch (RuntimeException e) {
        // A defect of the reader must not end a run over thousands of files.
        return reject("can't be read, unexpectedly: " + e);
      }
    }

    private void begin() throws IOException, RejectedException, RecordingException {
      copy = copy(input);
      if (!copy.incomplete().isEmpty()) {
        throw new RejectedException(copy.incomplete());
      }
      sha256 = copy.sha256(); // from here on the same file is rejected for good
      checkNew(input, copy);
      pieces = new RecordingPieces(copy.file());
      List<String> losses = new ArrayList<>(pieces.losses());
      if (!copy.damage().isEmpty()) {
        losses.add(copy.damage());
      }
      mustBeWhole(losses);
      origins = origins(input, copy.file());
      facts = new SourceFacts(input, copy.sha256(), settings.readAt);
    }

    private Iterator<Row> piece() throws IOException, RejectedException, RecordingException {
      Path piece = pieces.next();
      try {
        SampledRecording recording =
            SampledRecording.open(
                piece,
                ReadingProgress.NONE,
                false,
                SampledFrame.Change.NONE,
                SampleChoice.EVERYTHING);
        if (!recording.isWhole()) {
          mustBeWhole(recording.losses());
        }
        RecordingSums sums = new RecordingSums(recording, facts.source(), origins);
        facts.add(recording, origins);
        return new RawRows(input)
            .then(Table.SAMPLES, sums.sampleRows())
            .then(Table.STACKS, sums.stackRows());
      } catch (RecordingException e) {
        if (!e.isWithoutSamples() || !pieces.hasNext() && facts.isEmpty()) {
          throw e;
        }
        return List.<Row>of().iterator(); // JFR's own events alone
      } finally {
        if (!piece.equals(copy.file())) {
          Files.delete(piece);
        }
      }
    }

    private void mustBeWhole(List<String> losses) throws RejectedException {
      if (!losses.isEmpty() && !settings.partial) {
        throw new RejectedException(String.join("; ", losses) + PARTIAL_TAKES);
      }
    }

    private Iterator<Row> reject(String reason) {
      isEnded = true;
      deleteCopy();
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

    private void deleteCopy() {
      if (copy != null) {
        copy.close();
      }
    }
  }

  private LocalCopy copy(InputFile input) throws IOException {
    Earlier earlier = settings.earlier.get(input.path());
    long beginning = earlier != null && earlier.size < input.size() ? earlier.size : 0;
    return LocalCopy.of(input, beginning, settings.maxBytes, configuration.value());
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

  private Function<SessionFacts, Origin> origins(InputFile input, Path file)
      throws IOException, RecordingException {
    Map<String, String> ofPath = new HashMap<>();
    for (PathPattern pattern : settings.patterns) {
      pattern.facts(input.path()).forEach(ofPath::putIfAbsent);
    }
    Map<String, JvmFacts> jvms = JvmFacts.read(file);
    Map<String, Origin> known = new HashMap<>();
    return session ->
        known.computeIfAbsent(
            session.uuid(),
            uuid -> {
              JvmFacts own = jvms.getOrDefault(uuid, UNKNOWN);
              return Origin.of(own.properties(), own.environment(), ofPath);
            });
  }

  /** The reason of the reader's message, without the name of the copy. */
  private static String why(RecordingException e) {
    return e.isWithoutSamples()
        ? e.whyWithoutSamples()
        : e.getMessage().replaceFirst("^.*?\\.jfr: ", "");
  }
}
