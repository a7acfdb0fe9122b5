package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
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
 * A recording that one run of {@code record} makes in another JVM, under a unique name, so that
 * several can run at the same time. Used by {@link RecordingRounds}. Not thread-safe.
 *
 * <p>JFR.start makes it, with a destination file, which JFR writes even if the program ends.
 * Everything needed to fetch it is opened at the start, since a process that has ended has no root
 * any more. The chunks in JFR's repository are opened while they are written: they are used if the
 * process is killed, or if JFR can't write its file, whatever has become of both directories.
 */
public final class RemoteRecording implements AutoCloseable {
  /** How long after that other commands leave its file alone. */
  private static final long KEPT_MILLIS = 3_600_000;

  /** How long to wait for the start of sampling; on a busy machine it takes seconds. */
  private static final long START_NANOS = 20_000_000_000L;

  /** An agent of -javaagent notices the recording within this time, or does not work. */
  private static final long NOTICE_NANOS = 5_000_000_000L;

  /**
   * How long to wait for an earlier command to attach the agent: each load makes the JVM print a
   * warning.
   */
  private static final long OTHERS_NANOS = 3_000_000_000L;

  private static final long REPORT_NANOS = 10_000_000_000L;
  private static final long LEAVE_NANOS = 15_000_000_000L;

  /** How often it is looked for new chunks, which are of 12 MB. */
  private static final long HOLD_NANOS = 1_000_000_000L;

  /** Chunks that are held open before they are needed, 6 GB; each takes a file descriptor. */
  private static final int MAX_HELD = 500;

  /** How long JFR may take to write the file after it has begun by itself. */
  private static final long WRITE_NANOS = 60_000_000_000L;

  /** A file system with less room is full. */
  private static final long FULL_BYTES = 1 << 20;

  private static final long EXIT_NANOS = 1_000_000_000L;
  private static final int PAUSE_MILLIS = 50;
  private static final String STOPPED = "Stopped recording";
  private static final String NO_MODULE = "jdk.jfr";
  private static final String NO_JFR = "Flight Recorder is ";
  private static final String NO_COMMAND = "Unknown diagnostic command";

  /**
   * What is asked of JFR.
   *
   * @param settings the name of a JFR configuration
   * @param eventSettings settings of events, by event, '#' and setting: {@link SamplingWishes}
   * @param durationMillis how long it is to be
   * @param graceMillis after that it ends by itself, if the command was killed
   * @param maxBytes what it may have of the disk; 0 for no limit
   */
  public record Request(
      String settings,
      Map<String, String> eventSettings,
      long durationMillis,
      long graceMillis,
      long maxBytes) {
    long longestMillis() {
      return durationMillis + graceMillis;
    }
  }

  /** Why the recording ended. */
  public enum End {
    /** This command stopped it. */
    ASKED,
    /** The program ended. */
    PROGRAM,
    /** The program was killed or crashed; the chunks were read from JFR's repository. */
    KILLED,
    /** JFR could not write its file; the chunks were read. */
    UNWRITTEN,
    /** It was stopped by somebody else, or the agent was detached. */
    OUTSIDE
  }

  private final TargetJvm jvm;
  private final String name;
  private final TargetDirectory exchange;
  private final String fileName;
  private final Descriptor file;
  private final long startNanos;

  /** Null if the JVM doesn't name it. */
  private TargetDirectory repository;

  /** Names of the chunks of earlier recordings. */
  private Set<String> earlier;

  /** Why sampling did not begin; empty if it did. */
  private String obstacle = "";

  /** As {@link #shortage} says. */
  private String shortage = "";

  /** Chunks of it, by name. */
  private final Map<String, Descriptor> held = new LinkedHashMap<>();

  private long heldAt;

  /** Why the JVM could not be told to stop it; empty if it could. */
  private String notStopped = "";

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
   * Starts the recording.
   *
   * @throws FailedException if JFR starts none
   */
  static RemoteRecording start(TargetJvm jvm, Request request) throws FailedException {
    return start(jvm, request, true);
  }

  private static RemoteRecording start(TargetJvm jvm, Request request, boolean mayRepeat)
      throws FailedException {
    String name = RecordName.of(Randomness.next());
    jvm.look(name); // fails for an agent of another version before anything is started
    RecordingRoom.mustBeEnough(jvm);
    TargetDirectory exchange = jvm.directory();
    long longest = request.longestMillis();
    String fileName = TargetDirectory.fileName("rec", longest + KEPT_MILLIS, ".jfr");
    Set<String> earlier = chunksOf(jvm);
    StringBuilder command = new StringBuilder("JFR.start name=").append(name);
    command.append(" settings=\"").append(request.settings()).append('"');
    command.append(" filename=\"").append(exchange.seen(fileName)).append('"');
    command.append(" dumponexit=true duration=").append(longest / 1_000).append('s');
    if (request.maxBytes() > 0) {
      command.append(" maxsize=").append(request.maxBytes());
    }
    request
        .eventSettings()
        .forEach(
            (setting, value) ->
                command.append(" +").append(setting).append("=\"").append(value).append('"'));
    String said = jvm.diagnose(command.toString());
    Descriptor file;
    try {
      file = exchange.fetch(fileName);
    } catch (IOException e) {
      jvm.diagnose("JFR.stop name=" + name);
      exchange.remove(fileName);
      if (mayRepeat && exchange != jvm.directory()) {
        return start(jvm, request, false); // somebody removed the directory just now
      }
      throw notStarted(jvm.process().pid(), request.settings(), said, e);
    }
    RemoteRecording recording = new RemoteRecording(jvm, name, exchange, fileName, file);
    recording.findRepository(earlier);
    return recording;
  }

  private static FailedException notStarted(long pid, String settings, String said, IOException e) {
    boolean isWithout = said.contains(NO_COMMAND);
    if (isWithout || said.contains(NO_MODULE) || said.startsWith(NO_JFR)) {
      return new FailedException(
          "process "
              + pid
              + " has no JDK Flight Recorder, where samples would go: "
              + (isWithout ? "its VM was built without it" : said));
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
      return Set.of(); // none yet, or not readable: then nothing is taken from it later either
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
      repository =
          null; // the JVM ended; or its user can't read the directory, so neither may this command
    }
    holdQuietly();
  }

  /**
   * Once a second, opens the chunks that JFR has begun since, and looks at the room that is left.
   */
  void holdNew() {
    if (System.nanoTime() - heldAt > HOLD_NANOS) {
      holdQuietly();
      lookAtRoom();
    }
  }

  private void lookAtRoom() {
    if (repository == null) {
      return;
    }
    try {
      long copied = repository.isOnSameDiskAs(exchange) ? repository.size(held.values()) : 0;
      shortage = RecordingRoom.shortage(repository.room(), copied, repository.seen());
    } catch (IOException e) {
      return; // the process's user can't look any more; JFR's own end says so
    }
  }

  /** Why it must end before JFR has no room left; empty if there is enough. */
  public String shortage() {
    return shortage;
  }

  private void holdQuietly() {
    try {
      hold(MAX_HELD);
    } catch (FailedException | IOException e) {
      return; // not there, or not its user's: finish() says so, if they are needed
    }
  }

  private void hold(int most) throws FailedException, IOException {
    heldAt = System.nanoTime();
    if (repository == null) {
      return;
    }
    if (repository.isRemoved() && jvm.process().isAlive()) {
      TargetDirectory other = open(jvm); // JFR makes another with its next chunk
      repository.close();
      repository = other;
      earlier = Set.of();
    }
    for (String chunk : repository.recordings()) {
      if (held.size() < most && !earlier.contains(chunk) && !held.containsKey(chunk)) {
        held.put(chunk, repository.fetch(chunk));
      }
    }
  }

  /**
   * Waits until sampling has begun, or the reason is known why it can't; attaches the agent if
   * there is none.
   *
   * @param cancelled whether to stop waiting
   */
  void awaitSampling(BooleanSupplier cancelled) throws FailedException {
    boolean ordered = false;
    long start = System.nanoTime();
    long patience = isFirst() ? 0 : OTHERS_NANOS;
    while (System.nanoTime() - start < START_NANOS && !cancelled.getAsBoolean() && !isOver()) {
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

  /** Whether no other command's recording began before, whose command attaches the agent. */
  private boolean isFirst() throws FailedException {
    String recordings = jvm.diagnose("JFR.check");
    return RecordName.isFirstIn(recordings, name);
  }

  /** Whether it has ended without being stopped by this command. */
  boolean isOver() {
    return !jvm.process().isAlive() || isWritten();
  }

  boolean isTargetAlive() {
    return jvm.process().isAlive();
  }

  /** As {@link #isOver}, waiting a second for a program that is ending. */
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

  /** Why sampling did not begin; empty if it did. */
  public String obstacle() {
    return obstacle;
  }

  /** How long it is by what JFR has written, in ns; negative if that can't be told. */
  long spanNanos() {
    try {
      return ChunkFile.span(exchange, file);
    } catch (IOException e) {
      return -1;
    }
  }

  /** The time since its start, in ns. */
  public long nanos() {
    return System.nanoTime() - startNanos;
  }

  /**
   * Stops it, or finds why it has ended; after this it can be copied.
   *
   * @throws FailedException if there is nothing to copy
   */
  End finish() throws FailedException {
    holdQuietly();
    String said = "";
    if (!isOver()) {
      try {
        said = jvm.diagnose("JFR.stop name=" + name);
      } catch (FailedException e) {
        // The JVM may have died, or still be writing the file, which it does before it answers.
        if (!isAwaited()) {
          throw new FailedException(
              FailedException.worded(e) + "; what it writes is kept for an hour: " + keep());
        }
        if (isWhole() && jvm.process().isAlive()) {
          return End.ASKED;
        }
        if (jvm.process().isAlive()) {
          notStopped = FailedException.worded(e) + ", so it ends within a minute by itself; ";
        }
      }
    }
    if (said.startsWith(STOPPED)) {
      return isWhole() || !hasChunks() && isWritten() ? End.ASKED : unwritten(said);
    }
    isAwaited();
    if (isWhole()) {
      return whoEndedIt();
    }
    if (jvm.process().isAlive()) {
      return unwritten(said);
    }
    if (!hasChunks()) {
      throw new FailedException(
          "the program was killed or crashed before JFR had written anything: no recording");
    }
    return isRemoved() ? End.UNWRITTEN : End.KILLED;
  }

  /** Waits until its file is whole; not if nobody can write it. */
  private boolean isAwaited() {
    return isRemoved() || awaitTrue(() -> isWhole() || !jvm.process().isAlive(), WRITE_NANOS);
  }

  private End unwritten(String said) throws FailedException {
    if (hasChunks()) {
      return End.UNWRITTEN;
    }
    throw new FailedException(
        "process "
            + jvm.process().pid()
            + " did not write its recording: "
            + whyUnwritten()
            + (said.isEmpty() ? "" : "; JFR says: " + said)
            + (isWritten() ? "; what there is of it is kept for an hour: " + keep() : ""));
  }

  /** Why JFR could not write its file, as far as this command can see. */
  public String whyUnwritten() {
    List<String> gone = new ArrayList<>();
    boolean isFull = false;
    try {
      if (isRemoved()) {
        gone.add(exchange.seen(fileName));
      }
      if (repository != null && isTargetAlive() && repository.isRemoved()) {
        gone.add("JFR's repository " + repository.seen());
      }
      isFull = gone.isEmpty() && exchange.room() < FULL_BYTES;
    } catch (IOException e) {
      return FailedException.reasonWithName(e);
    }
    return notStopped
        + (!gone.isEmpty()
            ? String.join(" and ", gone) + (gone.size() == 1 ? " was" : " were") + " removed"
            : isFull
                ? "no space is left in " + exchange.seen()
                : "that JVM's log says why " + exchange.seen(fileName) + " can't be written");
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

  private boolean isRemoved() {
    try {
      return exchange.isRemoved(file, fileName);
    } catch (IOException e) {
      return false;
    }
  }

  /** Finds its chunks; whether there are any. */
  private boolean hasChunks() throws FailedException {
    if (repository == null || !chunks.isEmpty()) {
      return !chunks.isEmpty();
    }
    try {
      if (!jvm.process().isAlive()) {
        hold(Integer.MAX_VALUE);
      }
      List<ChunkFile> found = new ArrayList<>();
      long start = System.nanoTime();
      for (Descriptor chunk : held.values()) {
        if (System.nanoTime() - start > WRITE_NANOS) {
          throw new IOException("they come too slowly");
        }
        ChunkFile readable = ChunkFile.of(repository, chunk);
        if (readable != null) {
          found.add(readable);
        }
      }
      found.sort(Comparator.comparingLong(ChunkFile::startNanos));
      chunks = found;
      return !found.isEmpty();
    } catch (IOException e) {
      throw new FailedException(
          (jvm.process().isAlive()
                  ? "JFR could not write the recording"
                  : "the program was killed or crashed")
              + ", and its chunks in "
              + repository.seen()
              + " can't be read: "
              + FailedException.reason(e));
    }
  }

  /** JFR's repository as the program saw it, after {@link End#KILLED} or {@link End#UNWRITTEN}. */
  String repositoryPath() {
    return repository.seen();
  }

  /** The number of chunks found, after {@link End#KILLED} or {@link End#UNWRITTEN}. */
  int chunkCount() {
    return chunks.size();
  }

  /** How many bytes {@link #copy} copies. */
  public long size() throws IOException {
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
   * Copies the recording.
   *
   * @param size the result of {@link #size}: the target may have made the file longer since
   */
  public void copy(OutputStream out, long size) throws IOException {
    if (chunks.isEmpty()) {
      exchange.mustStillBeItsOwn(file, fileName);
      exchange.copy(file, 0, size, out);
    }
    for (ChunkFile chunk : chunks) {
      chunk.copy(repository, out);
    }
  }

  /**
   * Keeps the file where the JVM wrote it.
   *
   * @return where that is, as text for the user; empty if nothing of it is left
   */
  public String keep() {
    keepFile = true;
    boolean isLeft = chunks.isEmpty() ? !isRemoved() : !jvm.process().isAlive();
    String seen = chunks.isEmpty() ? exchange.seen(fileName) : repository.seen();
    return isLeft ? seen + ", as process " + jvm.process().pid() + " sees it" : "";
  }

  /**
   * The agent's summary of it; empty if none. If the agent was attached for such recordings only
   * and this was the last, waits until it has detached.
   */
  public String report() throws FailedException {
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

  /** Stops the recording if it still runs; {@link #close} removes its file. */
  void discard() {
    try {
      if (jvm.process().isAlive()) {
        jvm.diagnose("JFR.stop name=" + name);
        awaitDeparture();
      }
    } catch (FailedException e) {
      return; // the JVM ended; close() removes the file
    }
  }

  @Override
  public void close() {
    if (!keepFile) {
      exchange.remove(fileName);
    }
    held.values().forEach(Descriptor::close);
    if (repository != null) {
      repository.close();
    }
    file.close();
  }
}
