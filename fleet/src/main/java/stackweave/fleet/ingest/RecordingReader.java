package stackweave.fleet.ingest;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.TaskCompletionListener;
import stackweave.fleet.store.Table;
import stackweave.fleet.store.TableDirectory;
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
   * @param earlier what earlier runs have read at the paths of this one
   * @param patterns facts in paths; the first one that knows a fact holds
   * @param partial whether what can be read of damaged recordings is taken
   * @param maxBytes of an unpacked recording
   * @param intoFiles whether directories are of a machine's own file system
   * @param readAt when the run began
   */
  record Settings(
      Map<String, List<Earlier>> earlier,
      List<PathPattern> patterns,
      boolean partial,
      long maxBytes,
      boolean intoFiles,
      Instant readAt)
      implements Serializable {}

  /**
   * What was read at a path.
   *
   * @param bytes when it was unpacked
   * @param sha256 of these
   */
  record Earlier(long bytes, String sha256) implements Serializable {}

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
      private final GivenStacks given = new GivenStacks();
      private Iterator<Row> rows = List.<Row>of().iterator();

      @Override
      public boolean hasNext() {
        while (!rows.hasNext() && inputs.hasNext()) {
          rows = new Reading(inputs.next(), given);
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
    private final GivenStacks given;
    private Iterator<Row> rows = List.<Row>of().iterator();
    private LocalCopy copy;
    private RecordingPieces pieces;
    private Function<SessionFacts, Origin> origins;
    private SourceFacts facts;
    private String sha256;
    private int piecesRead;
    private Row row;
    private boolean isEnded;
    private boolean isOver;

    Reading(InputFile input, GivenStacks given) {
      this.input = input;
      this.given = given;
      TaskContext task = TaskContext.get();
      task.addTaskCompletionListener(
          (TaskCompletionListener) ended -> deleteCopy()); // also of a task that is ended
    }

    @Override
    public boolean hasNext() {
      while (row == null && !isOver) {
        try {
          advance();
        } catch (RejectedException e) {
          rows = reject(e.getMessage());
        } catch (RecordingException e) {
          // With a cause it may be another one's fault: a full disk, or little memory.
          rows = e.getCause() == null ? reject(why(e)) : rejectForNow(why(e));
        } catch (FileNotFoundException e) {
          // Hadoop says so, too, of a local file that it may not open.
          rows =
              rejectForNow(
                  String.valueOf(e.getMessage()).contains("Permission denied")
                      ? "can't be read: permission denied to the user of Spark's executors"
                      : "was deleted before it was read");
        } catch (IOException e) {
          rows = rejectForNow("can't be read: " + e.getMessage());
        } catch (OutOfMemoryError | StackOverflowError e) {
          // What was read is garbage now, and one file must not end a run over thousands.
          rows =
              rejectForNow(
                  "its stacks do not fit into the memory of an executor (spark.executor.memory): "
                      + e);
        } catch (RuntimeException e) {
          // A defect of the reader, neither.
          rows = rejectForNow("can't be read, unexpectedly: " + e);
        }
      }
      return row != null;
    }

    @Override
    public Row next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      Row next = row;
      row = null;
      return next;
    }

    private void advance() throws IOException, RejectedException, RecordingException {
      if (rows.hasNext()) {
        row = rows.next(); // is made here, and may fail as reading does
      } else if (isEnded) {
        isOver = true;
      } else {
        rows = more();
      }
    }

    private Iterator<Row> more() throws IOException, RejectedException, RecordingException {
      if (copy == null) {
        begin();
      }
      if (pieces.hasNext()) {
        return piece();
      }
      Row source = facts.row();
      given.keep();
      end();
      return new RawRows(input).then(Table.SOURCES, List.of(source).iterator());
    }

    /** Rejects what the next run looks at again. */
    private Iterator<Row> rejectForNow(String reason) {
      sha256 = null;
      return reject(reason);
    }

    private void begin() throws IOException, RejectedException, RecordingException {
      copy = copy(input);
      if (!copy.incomplete().isEmpty()) {
        throw new RejectedException(copy.incomplete());
      }
      sha256 = copy.sha256(); // from here on the same file is rejected for good
      checkNew(input, copy);
      mustBeWhole(copy.damage().isEmpty() ? List.of() : List.of(copy.damage()));
      pieces = new RecordingPieces(copy.file());
      mustBeWhole(pieces.losses());
      origins = origins(input, copy.file());
      facts = new SourceFacts(input, copy, settings.readAt);
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
        mustBeNames(sums.services());
        facts.add(recording, origins);
        return new RawRows(input)
            .then(Table.SAMPLES, sums.sampleRows())
            .then(Table.STACKS, sums.stackRows(given, piecesRead++));
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

    private void mustBeNames(Set<String> services) throws IOException {
      for (String service : services) {
        if (settings.intoFiles && !TableDirectory.isFileName(service)) {
          throw new IOException(
              "no directory can be named after its service "
                  + service
                  + " in Spark's locale:"
                  + " start Spark with LC_ALL=C.UTF-8");
        }
      }
    }

    private void mustBeWhole(List<String> losses) throws RejectedException {
      if (!losses.isEmpty() && !settings.partial) {
        throw new RejectedException(String.join("; ", losses) + PARTIAL_TAKES);
      }
    }

    private Iterator<Row> reject(String reason) {
      given.drop();
      end();
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

    /** Drops what the task would hold until its last file was read. */
    private void end() {
      isEnded = true;
      deleteCopy();
      pieces = null;
      origins = null;
      facts = null;
    }

    private void deleteCopy() {
      if (copy != null) {
        copy.close();
      }
    }
  }

  private LocalCopy copy(InputFile input) throws IOException {
    List<Long> beginnings =
        settings.earlier.getOrDefault(input.path(), List.of()).stream()
            .map(Earlier::bytes)
            .toList();
    return LocalCopy.of(input, beginnings, settings.maxBytes, configuration.value());
  }

  /** The reason of what is larger than the limit, which the next run may have changed. */
  static String tooLarge(long maxBytes) {
    return "is larger than " + (maxBytes >> 20) + " MiB, the limit (--max-size)";
  }

  /** Refuses what has grown since it was read. */
  private void checkNew(InputFile input, LocalCopy copy) throws RejectedException {
    for (Earlier earlier : settings.earlier.getOrDefault(input.path(), List.of())) {
      if (copy.bytes() > earlier.bytes
          && earlier.sha256.equals(copy.hashOfBeginning().get(earlier.bytes))) {
        throw new RejectedException(
            "has grown since it was read, and its samples would count twice: give Ingest files that"
                + " nobody writes any more");
      }
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
