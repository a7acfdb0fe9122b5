package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import stackweave.agent.attach.Order;
import stackweave.agent.attach.RecordName;
import stackweave.agent.attach.Serving;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetDirectory;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetJvm.Presence;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.Randomness;

/**
 * A recording that one run of a command makes in another JVM, under a name of its own: so others
 * can be made at the same time.
 *
 * <p>JFR's own command starts it, with a file as its destination, so nothing is lost if the program
 * ends: then JFR writes the file. All that is needed to fetch it is open from the start, for a
 * process that has ended has no root any more. If the process is killed, there are the chunks that
 * JFR has in its repository.
 */
final class RemoteRecording implements AutoCloseable {
  /** The recording ends so long after its time by itself, should the command be dead by then. */
  private static final long GRACE_MILLIS = 60_000;

  /** For so long after that its file is left alone by other commands. */
  private static final long KEPT_MILLIS = 3_600_000;

  /** How long the start of sampling is waited for: on a busy machine it takes seconds. */
  private static final long START_NANOS = 20_000_000_000L;

  /** An agent of -javaagent has noticed the recording after that time, or is out of order. */
  private static final long NOTICE_NANOS = 5_000_000_000L;

  /** How long the agent is left to a command that began before: each load of it is warned of. */
  private static final long OTHERS_NANOS = 3_000_000_000L;

  private static final long REPORT_NANOS = 10_000_000_000L;
  private static final long LEAVE_NANOS = 15_000_000_000L;

  /** How long JFR may take for the file when it has begun to write it by itself. */
  private static final long WRITE_NANOS = 60_000_000_000L;

  private static final long EXIT_NANOS = 1_000_000_000L;
  private static final int PAUSE_MILLIS = 50;
  private static final String STOPPED = "Stopped recording";
  private static final String NO_JFR = "jdk.jfr";
  private static final String NO_COMMAND = "Unknown diagnostic command";

  /** Why the recording ended. */
  enum End {
    /** It was told to. */
    ASKED,
    /** With the program. */
    PROGRAM,
    /** The program was killed, or crashed: what there is was taken out of JFR's repository. */
    KILLED,
    /** Somebody else stopped it, or took the agent out. */
    OUTSIDE
  }

  private final TargetJvm jvm;
  private final String name;
  private final TargetDirectory exchange;
  private final String fileName;
  private final Descriptor file;
  private final long startNanos;

  /** Null where the JVM doesn't say. */
  private TargetDirectory repository;

  /** Chunks of recordings before this one. */
  private Set<String> earlier;

  /** Why sampling did not begin; empty for nothing. */
  private String obstacle = "";

  private List<ChunkFile> chunks = List.of();
  private boolean keepFile;

  private RemoteRecording(
      TargetJvm jvm, String name, TargetDirectory exchange, String fileName, Descriptor file) {
    this.jvm = jvm;
    this.name = name;
    this.exchange = exchange;
    this.fileName = fileName;
    this.file = file;
    this.startNanos = System.nanoTime();
  }

  /**
   * Starts it.
   *
   * @param settings the name of a JFR configuration
   * @param wishes settings of {@code stackweave.NativeSample}, by name
   */
  static RemoteRecording start(
      TargetJvm jvm, String settings, Map<String, String> wishes, long durationMillis)
      throws FailedException {
    String name = RecordName.of(Randomness.next());
    jvm.look(name); // an agent of another version is said before anything is begun
    TargetDirectory exchange = jvm.directory();
    long longest = durationMillis + GRACE_MILLIS;
    String fileName = TargetDirectory.fileName("rec", longest + KEPT_MILLIS, ".jfr");
    Set<String> earlier = chunksOf(jvm);
    StringBuilder command = new StringBuilder("JFR.start name=").append(name);
    command.append(" settings=\"").append(settings).append('"');
    command.append(" filename=\"").append(exchange.seen(fileName)).append('"');
    command.append(" dumponexit=true duration=").append(longest / 1_000).append('s');
    command.append(" +stackweave.NativeSample#enabled=true");
    wishes.forEach(
        (key, value) ->
            command.append(" +stackweave.NativeSample#" + key + "=\"").append(value).append('"'));
    String said = jvm.diagnose(command.toString());
    Descriptor file;
    try {
      file = exchange.fetch(fileName);
    } catch (IOException e) {
      jvm.diagnose("JFR.stop name=" + name);
      exchange.remove(fileName);
      throw notStarted(jvm.process().pid(), settings, said, e);
    }
    RemoteRecording recording = new RemoteRecording(jvm, name, exchange, fileName, file);
    recording.findRepository(earlier);
    return recording;
  }

  private static FailedException notStarted(long pid, String settings, String said, IOException e) {
    if (said.contains(NO_JFR) || said.contains(NO_COMMAND)) {
      return new FailedException(
          "process "
              + pid
              + " runs without JDK Flight Recorder (module jdk.jfr), where samples would go");
    }
    if (said.contains("'" + settings + "'")) {
      return new FailedException(
          "process "
              + pid
              + " has no JFR configuration '"
              + settings
              + "': name default, profile or none");
    }
    return new FailedException(
        "process "
            + pid
            + " started no recording ("
            + FailedException.reason(e)
            + "); JFR says: "
            + said);
  }

  private static Set<String> chunksOf(TargetJvm jvm) throws FailedException {
    try (TargetDirectory repository = open(jvm)) {
      return repository == null ? Set.of() : repository.recordings();
    } catch (IOException e) {
      return Set.of(); // none yet, or not to be had: then nothing is taken out of it either
    }
  }

  private static TargetDirectory open(TargetJvm jvm) throws FailedException, IOException {
    String path = jvm.repository();
    return path == null
        ? null
        : jvm.process().act(() -> TargetDirectory.ofTarget(jvm.process(), path));
  }

  private void findRepository(Set<String> before) {
    earlier = before;
    try {
      repository = open(jvm);
    } catch (FailedException | IOException e) {
      repository = null; // it ended by now; or its user can't read it: then this is not for it
    }
  }

  /**
   * Waits until samples are taken for it, or until it is known why they can't be; has the agent
   * come if there is none.
   *
   * @param given whether to wait no longer
   */
  void awaitSampling(BooleanSupplier given) throws FailedException {
    boolean ordered = false;
    long start = System.nanoTime();
    long patience = isFirst() ? 0 : OTHERS_NANOS;
    while (System.nanoTime() - start < START_NANOS && !given.getAsBoolean() && !isOver()) {
      TargetJvm.View view = jvm.look(name);
      boolean begun = view.serving() != null && view.serving().stage() != Serving.Stage.PREPARING;
      obstacle = view.obstacle();
      if (begun || !obstacle.isEmpty()) {
        return;
      }
      long waited = System.nanoTime() - start;
      boolean missing =
          view.presence() == Presence.NONE && waited >= patience
              || view.presence() == Presence.DORMANT && waited > NOTICE_NANOS;
      if (!ordered && missing) {
        ordered = true;
        jvm.order(Order.Kind.VISIT, Map.of(Order.Name.RECORDING, name));
      }
      pause();
    }
  }

  /** Whether no other command began before, which has the agent come by itself. */
  private boolean isFirst() throws FailedException {
    String recordings = jvm.diagnose("JFR.check");
    return RecordName.isFirstIn(recordings, name);
  }

  /** Whether it has ended without being asked to. */
  boolean isOver() {
    return !jvm.process().isAlive() || isWritten();
  }

  /** The same, of a program that may be at its end. */
  boolean isOverSoon() {
    return awaitTrue(this::isOver, EXIT_NANOS);
  }

  private boolean isWritten() {
    try {
      return exchange.size(file) > 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** For how long it has run, in nanoseconds. */
  long nanos() {
    return System.nanoTime() - startNanos;
  }

  /**
   * Ends it, or sees why it has ended; from then on it can be copied.
   *
   * @throws FailedException if there is nothing to copy
   */
  End finish() throws FailedException {
    String said = "";
    if (!isOver()) {
      try {
        said = jvm.diagnose("JFR.stop name=" + name);
      } catch (FailedException e) {
        // It may have died, or still be writing the file, which it does before it answers.
        if (!awaitTrue(() -> isWhole() || !jvm.process().isAlive(), WRITE_NANOS)) {
          throw new FailedException(
              FailedException.worded(e) + "; what it writes is kept for an hour: " + keep());
        }
        if (isWhole() && jvm.process().isAlive()) {
          return End.ASKED;
        }
      }
    }
    if (said.startsWith(STOPPED)) {
      if (isWritten()) {
        return End.ASKED;
      }
      throw notWritten(said);
    }
    awaitTrue(() -> isWhole() || !jvm.process().isAlive(), WRITE_NANOS);
    if (isWhole()) {
      return whoEndedIt();
    }
    if (jvm.process().isAlive()) {
      throw notWritten(said);
    }
    findChunks();
    if (chunks.isEmpty()) {
      throw new FailedException(
          "the program was killed or crashed before JFR had written anything: no recording");
    }
    return End.KILLED;
  }

  private FailedException notWritten(String said) {
    return new FailedException(
        "process "
            + jvm.process().pid()
            + " did not write its recording"
            + (said.isEmpty() ? "" : "; JFR says: " + said)
            + (isWritten() ? "; what there is of it is kept for an hour: " + keep() : ""));
  }

  private End whoEndedIt() {
    if (awaitTrue(() -> !jvm.process().isAlive(), EXIT_NANOS)) {
      return End.PROGRAM;
    }
    return End.OUTSIDE;
  }

  private boolean isWhole() {
    try {
      return ChunkFile.isWhole(exchange, file);
    } catch (IOException e) {
      return false;
    }
  }

  private void findChunks() throws FailedException {
    if (repository == null) {
      return;
    }
    try {
      List<ChunkFile> found = new ArrayList<>();
      long start = System.nanoTime();
      for (String chunk : repository.recordings()) {
        if (System.nanoTime() - start > WRITE_NANOS) {
          throw new IOException("they come too slowly");
        }
        ChunkFile readable = earlier.contains(chunk) ? null : ChunkFile.open(repository, chunk);
        if (readable != null) {
          found.add(readable);
        }
      }
      found.sort(Comparator.comparingLong(ChunkFile::startNanos));
      chunks = found;
    } catch (IOException e) {
      throw new FailedException(
          "the program was killed or crashed, and its chunks in "
              + repository.seen()
              + " can't be read: "
              + FailedException.reason(e));
    }
  }

  /** Where the chunks of a program that was killed are, in its own sight. */
  String repositoryPath() {
    return repository.seen();
  }

  /** How many chunks there are of a program that was killed. */
  int chunkCount() {
    return chunks.size();
  }

  /** How many bytes {@link #copy} copies. */
  long size() throws IOException {
    if (chunks.isEmpty()) {
      return exchange.size(file);
    }
    long size = 0;
    for (ChunkFile chunk : chunks) {
      size += chunk.size();
      if (size < 0) {
        throw new IOException("its chunks are larger than any disk");
      }
    }
    return size;
  }

  /**
   * Copies it.
   *
   * @param size what {@link #size} said: its user may have made it longer since
   */
  void copy(OutputStream out, long size) throws IOException {
    if (chunks.isEmpty()) {
      exchange.mustStillBeItsOwn(file, fileName);
      exchange.copy(file, 0, size, out);
    }
    for (ChunkFile chunk : chunks) {
      chunk.copy(repository, out);
    }
  }

  /**
   * Leaves its file where the JVM wrote it.
   *
   * @return where that is, for this command's user
   */
  String keep() {
    keepFile = true;
    String seen = chunks.isEmpty() ? exchange.seen(fileName) : repository.seen();
    return seen + ", as process " + jvm.process().pid() + " sees it";
  }

  /**
   * What the agent says of it; empty if nothing. If the agent came for such recordings only, and
   * this was the last, it has left when this returns.
   */
  String report() throws FailedException {
    long start = System.nanoTime();
    String report = "";
    boolean known = true;
    while (known && report.isEmpty() && System.nanoTime() - start < REPORT_NANOS) {
      Serving serving = jvm.look(name).serving();
      known = serving != null && serving.stage() != Serving.Stage.ENDED;
      report = serving == null ? "" : serving.report();
      pause();
    }
    awaitDeparture();
    return report.isEmpty() ? obstacle : report;
  }

  private void awaitDeparture() throws FailedException {
    long start = System.nanoTime();
    TargetJvm.View view = jvm.look(name);
    while (view.presence() == Presence.VISITING
        && !view.servesRecords()
        && System.nanoTime() - start < LEAVE_NANOS) {
      pause();
      view = jvm.look(name);
    }
  }

  private static boolean awaitTrue(BooleanSupplier condition, long nanos) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > nanos) {
        return false;
      }
      pause();
    }
    return true;
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Gives the recording up if it still runs, and removes its file. */
  void discard() {
    try {
      if (jvm.process().isAlive()) {
        jvm.diagnose("JFR.stop name=" + name);
        awaitDeparture();
      }
    } catch (FailedException e) {
      return; // it ended; what is left is removed by who closes this
    }
  }

  @Override
  public void close() {
    if (!keepFile) {
      exchange.remove(fileName);
    }
    chunks.forEach(ChunkFile::close);
    if (repository != null) {
      repository.close();
    }
    file.close();
  }
}
