package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import stackweave.agent.attach.Order;
import stackweave.agent.attach.RecordName;
import stackweave.agent.attach.Serving;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Waiting;
import stackweave.agent.cli.process.TargetDirectory;
import stackweave.agent.cli.process.TargetFile;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetJvm.Presence;
import stackweave.linux.Randomness;

/**
 * A recording that one run of {@code record} makes in another JVM, under a unique name, so that
 * several can run at the same time. Used by {@link RecordingRounds}. Not thread-safe.
 *
 * <p>JFR.start makes it, with a destination file, which JFR writes even if the program ends.
 * Everything needed to fetch it is opened at the start, since a process that has ended has no root
 * any more.
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

    private String command(String name, String file) {
      StringBuilder command = new StringBuilder("JFR.start name=").append(name);
      command.append(" settings=\"").append(settings).append('"');
      command.append(" filename=\"").append(file).append('"');
      command.append(" dumponexit=true duration=").append(longestMillis() / 1_000).append('s');
      if (maxBytes > 0) {
        command.append(" maxsize=").append(maxBytes);
      }
      eventSettings.forEach((key, value) -> command.append(" +").append(key + "=\"" + value + '"'));
      return command.toString();
    }
  }

  /** Why the recording ended. */
  private enum End {
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
  private final Repository repository;
  private final TargetDirectory exchange;
  private final String fileName;
  private final TargetFile file;
  private final long startMillis = System.currentTimeMillis();
  private final long startNanos = System.nanoTime();

  /** Why sampling did not begin; empty if it did. */
  private String obstacle = "";

  /** As {@link #shortage} says. */
  private String shortage = "";

  private long heldAt = startNanos;

  /** Why the JVM could not be told to stop it; empty if it could. */
  private String notStopped = "";

  /** What it consists of, once it has ended; empty if its file is no whole recording. */
  private List<ChunkFile> chunks = List.of();

  /** Whether these are of JFR's repository, for its file is not whole. */
  private boolean isOfRepository;

  /** Null before {@link #finish}. */
  private End end;

  private boolean keepFile;

  private RemoteRecording(
      TargetJvm jvm,
      String name,
      Repository repository,
      TargetDirectory exchange,
      String fileName,
      TargetFile file) {
    this.jvm = jvm;
    this.name = name;
    this.repository = repository;
    this.exchange = exchange;
    this.fileName = fileName;
    this.file = file;
    repository.begin();
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
    String fileName =
        TargetDirectory.fileName("rec", request.longestMillis() + KEPT_MILLIS, ".jfr");
    Repository repository = new Repository(jvm);
    String said = jvm.diagnose(request.command(name, exchange.seen(fileName)));
    try {
      TargetFile file = exchange.fetch(fileName);
      return new RemoteRecording(jvm, name, repository, exchange, fileName, file);
    } catch (IOException e) {
      jvm.diagnose("JFR.stop name=" + name);
      exchange.remove(fileName);
      if (mayRepeat && exchange != jvm.directory()) {
        return start(jvm, request, false); // somebody removed the directory just now
      }
      throw notStarted(jvm.process().pid(), request.settings(), said, e);
    }
  }

  private static FailedException notStarted(long pid, String settings, String said, IOException e) {
    boolean isWithout = said.contains(NO_COMMAND);
    String problem;
    if (isWithout || said.contains(NO_MODULE) || said.startsWith(NO_JFR)) {
      problem =
          " has no JDK Flight Recorder, where samples would go: "
              + (isWithout ? "its VM was built without it" : said);
    } else if (said.contains("'" + settings + "'")) {
      problem = " has no JFR configuration '" + settings + "': name default, profile or none";
    } else {
      problem = " started no recording (" + FailedException.reason(e) + "); JFR says: " + said;
    }
    return new FailedException("process " + pid + problem);
  }

  /**
   * Once a second, opens the chunks that JFR has begun since, and looks at the room that is left.
   */
  void holdNew() {
    if (System.nanoTime() - heldAt > HOLD_NANOS) {
      heldAt = System.nanoTime();
      repository.hold();
      shortage = repository.shortage(exchange);
    }
  }

  /** Why it must end before JFR has no room left; empty if there is enough. */
  public String shortage() {
    return shortage;
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
    // The command whose recording is the first attaches the agent.
    boolean isFirst = RecordName.isFirstIn(jvm.diagnose("JFR.check"), name);
    long patience = isFirst ? 0 : OTHERS_NANOS;
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
        jvm.order(Order.Kind.START_TEMPORARY, Map.of(Order.Name.RECORDING, name));
      }
      Waiting.pause(PAUSE_MILLIS);
    }
  }

  /** Whether it has ended without being stopped by this command. */
  boolean isOver() {
    return !isTargetAlive() || isWritten();
  }

  boolean isTargetAlive() {
    return jvm.process().isAlive();
  }

  /** As {@link #isOver}, waiting a second for a program that is ending. */
  boolean isOverSoon() {
    return Waiting.until(this::isOver, EXIT_NANOS, PAUSE_MILLIS);
  }

  private boolean isWritten() {
    return isSeen(() -> file.size() > 0);
  }

  /** Why sampling did not begin; empty if it did. */
  public String obstacle() {
    return obstacle;
  }

  /** How long it is by what JFR has written, in ns; negative if that can't be told. */
  long spanNanos() {
    if (chunks.isEmpty() || isOfRepository) {
      return -1;
    }
    ChunkFile last = chunks.get(chunks.size() - 1);
    return Math.max(0, last.startNanos() + last.nanos() - chunks.get(0).startNanos());
  }

  /** When it began, in ms since 1970. */
  long startMillis() {
    return startMillis;
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
  void finish() throws FailedException {
    end = ended();
  }

  private End ended() throws FailedException {
    repository.hold();
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
        if (isWhole() && isTargetAlive()) {
          return End.ASKED;
        }
        if (isTargetAlive()) {
          notStopped = FailedException.worded(e) + ", so it ends within a minute by itself; ";
        }
      }
    }
    if (said.startsWith(STOPPED)) {
      return isWhole() || !hasChunks() && isWritten() ? End.ASKED : unwritten(said);
    }
    isAwaited();
    if (isWhole()) {
      return Waiting.until(() -> !isTargetAlive(), EXIT_NANOS, PAUSE_MILLIS)
          ? End.PROGRAM
          : End.OUTSIDE;
    }
    if (isTargetAlive()) {
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
    return isRemoved()
        || Waiting.until(() -> isWhole() || !isTargetAlive(), WRITE_NANOS, PAUSE_MILLIS);
  }

  private End unwritten(String said) throws FailedException {
    if (hasChunks()) {
      return End.UNWRITTEN;
    }
    throw new FailedException(
        "process %s did not write its recording: %s%s%s",
        jvm.process().pid(),
        whyUnwritten(),
        said.isEmpty() ? "" : "; JFR says: " + said,
        isWritten() ? "; what there is of it is kept for an hour: " + keep() : "");
  }

  /** Why JFR could not write its file, as far as this command can see. */
  private String whyUnwritten() {
    List<String> gone = new ArrayList<>();
    boolean isFull;
    try {
      if (isRemoved()) {
        gone.add(file.seen());
      }
      if (repository.isRemoved()) {
        gone.add("JFR's repository " + repository.seen());
      }
      isFull = exchange.room() < FULL_BYTES;
    } catch (IOException e) {
      return FailedException.reasonWithName(e);
    }
    return notStopped
        + (!gone.isEmpty()
            ? String.join(" and ", gone) + (gone.size() == 1 ? " was" : " were") + " removed"
            : isFull
                ? "no space is left in " + exchange.seen()
                : "that JVM's log says why " + file.seen() + " can't be written");
  }

  /**
   * Why it has ended, in one sentence for the user; empty if it was to end then.
   *
   * @param after what follows the verb, as the time that it took
   */
  public String ending(String after) {
    return switch (end) {
      case ASKED -> shortage.isEmpty() ? "" : "ended the recording" + after + ", for " + shortage;
      case PROGRAM -> "the program ended" + after;
      case KILLED -> "the program was killed or crashed" + after;
      case UNWRITTEN ->
          (isTargetAlive() ? "" : "the program ended" + after + "; ")
              + "JFR could not write the recording, for "
              + whyUnwritten();
      case OUTSIDE -> "the recording was ended from outside (detach, or jcmd JFR.stop)" + after;
    };
  }

  /** What of it was saved, as a user is told. */
  String saved() {
    String count = chunks.size() + (chunks.size() == 1 ? " chunk" : " chunks");
    return switch (end) {
      case ASKED, PROGRAM, OUTSIDE -> "what was recorded until then";
      case KILLED ->
          "what JFR had written until then, up to a second before: "
              + count
              + " of "
              + repository.seen();
      case UNWRITTEN -> "what this command had open of it: " + count;
    };
  }

  private boolean isWhole() {
    return isSeen(
        () -> {
          chunks = ChunkFile.whole(file);
          return !chunks.isEmpty();
        });
  }

  private boolean isRemoved() {
    return isSeen(file::isRemoved);
  }

  /** Something that only a look at the target's files shows. */
  private interface Look {
    boolean shows() throws IOException;
  }

  /** False also if it can't be looked at. */
  private static boolean isSeen(Look look) {
    try {
      return look.shows();
    } catch (IOException e) {
      return false;
    }
  }

  /** Finds its chunks in JFR's repository; whether there are any. */
  private boolean hasChunks() throws FailedException {
    try {
      chunks = repository.chunks();
      isOfRepository = !chunks.isEmpty();
      return isOfRepository;
    } catch (IOException e) {
      throw new FailedException(
          "%s, and its chunks in %s can't be read: %s",
          isTargetAlive()
              ? "JFR could not write the recording"
              : "the program was killed or crashed",
          repository.seen(),
          FailedException.reason(e));
    }
  }

  /** How many bytes {@link #copy} copies. */
  public long size() throws IOException {
    if (chunks.isEmpty()) {
      return file.size();
    }
    long size = 0;
    for (ChunkFile chunk : chunks) {
      size += chunk.header().size();
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
  void copy(OutputStream out, long size) throws IOException {
    if (chunks.isEmpty()) {
      file.copy(0, size, out);
    }
    for (ChunkFile chunk : chunks) {
      chunk.copy(out);
    }
  }

  /**
   * Copies the chunks that are new: two recordings of a JVM that run at the same time share some.
   *
   * @param known the starts of chunks that were copied, to which those of the new ones are added
   * @return how many were new
   */
  public int copyNew(Set<Long> known, OutputStream out) throws IOException {
    int copied = 0;
    for (ChunkFile chunk : chunks) {
      if (known.add(chunk.startNanos())) {
        chunk.copy(out);
        copied++;
      }
    }
    return copied;
  }

  /** Whether it consists of chunks; else its file was not written by JFR. */
  public boolean isReadable() {
    return !chunks.isEmpty();
  }

  /**
   * Keeps the file where the JVM wrote it.
   *
   * @return where that is, as text for the user; empty if nothing of it is left
   */
  String keep() {
    keepFile = true;
    boolean isLeft = isOfRepository ? !isTargetAlive() : !isRemoved();
    String seen = isOfRepository ? repository.seen() : file.seen();
    return isLeft ? seen + ", as process " + jvm.process().pid() + " sees it" : "";
  }

  /**
   * The agent's summary of it; empty if none. If the agent was attached for such recordings only
   * and this was the last, waits until it has detached.
   */
  String report() throws FailedException {
    long start = System.nanoTime();
    String report = "";
    boolean known = true;
    while (known && report.isEmpty() && System.nanoTime() - start < REPORT_NANOS) {
      Serving serving = jvm.look(name).serving();
      known = serving != null && serving.stage() != Serving.Stage.ENDED;
      report = serving == null ? "" : serving.report();
      Waiting.pause(PAUSE_MILLIS);
    }
    awaitDeparture();
    return report.isEmpty() ? obstacle : report;
  }

  private void awaitDeparture() throws FailedException {
    Waiting.until(
        () -> {
          TargetJvm.View view = jvm.look(name);
          return view.presence() != Presence.TEMPORARY || view.servesRecords();
        },
        LEAVE_NANOS,
        PAUSE_MILLIS);
  }

  /** Stops the recording if it still runs, and removes its file. */
  void discard() {
    try {
      if (isTargetAlive()) {
        jvm.diagnose("JFR.stop name=" + name);
        awaitDeparture();
      }
    } catch (FailedException e) {
      // The JVM ended.
    }
    close();
  }

  @Override
  public void close() {
    if (!keepFile) {
      exchange.remove(fileName);
    }
    repository.close();
    file.close();
  }
}
