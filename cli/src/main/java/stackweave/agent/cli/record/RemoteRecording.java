package stackweave.agent.cli.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.linux.Randomness;

/**
 * A recording that one run of {@code record} makes in another JVM, under a unique name, so that
 * several can run at the same time. Used by {@link RecordingRounds}. Not thread-safe.
 *
 * <p>JFR.start makes it, with a destination file, which JFR writes even if the program ends. All
 * that is needed to fetch it is opened at the start, since an ended process has no root directory
 * any more.
 */
public final class RemoteRecording implements RoundRecording {
  /** The name of the JFR configuration without events: of none that there is. */
  public static final String NO_EVENTS = "none";

  /** How the names of the agent's events begin. */
  private static final String OWN_EVENTS = "stackweave.";

  /** How long after its end other commands keep its file. */
  private static final long KEPT_MILLIS = 3_600_000;

  /** The time in which a working agent of -javaagent notices the recording. */
  private static final long NOTICE_NANOS = 5_000_000_000L;

  /** JFR's ticks a second where it reads the system's clock. */
  private static final long TICKS_OF_SYSTEM = 1_000_000_000L;

  /** What the name of the recording for the clock ends with. */
  private static final String CLOCK = "-clock";

  private static final long REPORT_NANOS = 10_000_000_000L;
  private static final long LEAVE_NANOS = 15_000_000_000L;

  /** How often JFR's room is checked. */
  private static final long ROOM_NANOS = 1_000_000_000L;

  /** How long JFR may take to write the file of a recording that ended by itself. */
  private static final long WRITE_NANOS = 60_000_000_000L;

  private static final String STOPPED = "Stopped recording";
  private static final String NO_MODULE = "jdk.jfr";
  private static final String NO_JFR = "Flight Recorder is ";
  private static final String NO_COMMAND = "Unknown diagnostic command";

  /**
   * The parameters of a recording.
   *
   * @param settings the name of a JFR configuration
   * @param eventSettings settings of events, by event, '#' and setting: {@link SamplingWishes}
   * @param durationMillis its length
   * @param graceMillis time after its length at which it ends by itself if the command was killed
   * @param maxBytes its limit on the disk; 0 for none
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

    /** The same for JFR's own events alone. */
    Request ofJfr() {
      Map<String, String> ofJfr = new TreeMap<>(eventSettings);
      ofJfr.keySet().removeIf(key -> key.startsWith(OWN_EVENTS));
      return new Request(settings, ofJfr, durationMillis, graceMillis, maxBytes);
    }

    /** Whether it asks for no event. */
    boolean isEmpty() {
      return settings.equals(NO_EVENTS) && eventSettings.isEmpty();
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

  /** JFR has no such configuration. */
  static final class NoSettingsException extends FailedException {
    private static final long serialVersionUID = 1;

    NoSettingsException(String text) {
      super(text);
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
    /** The process is stopped and does not end it; the chunks were read there, too. */
    SUSPENDED,
    /** It was stopped otherwise, or the agent was detached. */
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

  /** When {@link #finish} began, if it has. */
  private long endNanos;

  private boolean isEnding;

  /** Why sampling did not begin; empty if it did. */
  private String obstacle = "";

  /** As {@link #shortage} says. */
  private String shortage = "";

  private long roomAt = startNanos;

  /** The chunks of the ended recording; empty if its file is no whole recording. */
  private List<ChunkFile> chunks = List.of();

  /** Null before {@link #finish}. */
  private End end;

  /** Why the process is stopped, to follow its name; empty if it is not. */
  private String whySuspended = "";

  /** As {@link #loss()} says. */
  private String loss = "";

  private boolean keepFile;

  /** Whether the recording of {@link #readClock} runs. */
  private boolean hasClock;

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
    repository.open();
  }

  /**
   * Starts the recording.
   *
   * @throws FailedException if JFR starts none
   */
  static RemoteRecording start(TargetJvm jvm, Request request) throws FailedException {
    String name = RecordName.of(Randomness.next());
    jvm.look(name); // fails for an agent of another version, before anything is started
    RecordingRoom.mustBeEnough(jvm);
    TargetDirectory exchange = jvm.openDirectory();
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
      exchange.close();
      throw notStarted(jvm.process().pid(), request.settings(), said, e);
    }
  }

  private static FailedException notStarted(long pid, String settings, String said, IOException e) {
    boolean isWithout = said.contains(NO_COMMAND);
    String problem;
    if (said.contains("'" + settings + "'")) {
      return new NoSettingsException(
          "process "
              + pid
              + " has no JFR configuration '"
              + settings
              + "': name default, profile or none");
    }
    if (isWithout || said.contains(NO_MODULE) || said.startsWith(NO_JFR)) {
      problem =
          " has no JDK Flight Recorder, where samples would go: "
              + (isWithout ? "its VM was built without it" : said);
    } else {
      problem = " started no recording (" + FailedException.reason(e) + "); JFR says: " + said;
    }
    return new FailedException("process " + pid + problem);
  }

  @Override
  public void watchRoom() {
    if (System.nanoTime() - roomAt > ROOM_NANOS) {
      roomAt = System.nanoTime();
      shortage = repository.shortage(exchange);
    }
  }

  @Override
  public String shortage() {
    return shortage;
  }

  /**
   * Waits until sampling has begun, or it is known why it can't; attaches the agent if there is
   * none.
   *
   * @param cancelled whether to stop waiting
   */
  @Override
  public void awaitSampling(BooleanSupplier cancelled) throws FailedException {
    boolean ordered = false;
    long start = System.nanoTime();
    while (System.nanoTime() - start < START_NANOS && !cancelled.getAsBoolean() && !isOver()) {
      TargetJvm.View view = jvm.look(name);
      boolean begun = view.serving() != null && view.serving().stage() != Serving.Stage.PREPARING;
      obstacle = view.obstacle();
      if (begun || !obstacle.isEmpty()) {
        return;
      }
      long waited = System.nanoTime() - start;
      boolean missing =
          view.presence() == Presence.NONE
              || view.presence() == Presence.DORMANT && waited > NOTICE_NANOS;
      if (!ordered && missing) {
        ordered = true;
        jvm.order(Order.Kind.START_TEMPORARY, Map.of(Order.Name.RECORDING, name));
      }
      Waiting.pause(PAUSE_MILLIS);
    }
  }

  @Override
  public boolean isOver() {
    return !isTargetAlive() || isWritten();
  }

  @Override
  public boolean isTargetAlive() {
    return jvm.process().isAlive();
  }

  private boolean isWritten() {
    return isSeen(() -> file.size() > 0);
  }

  @Override
  public String obstacle() {
    return obstacle;
  }

  @Override
  public long spanNanos() {
    if (chunks.isEmpty() || hasLostTheEnd()) {
      return -1;
    }
    ChunkFile last = chunks.get(chunks.size() - 1);
    return Math.max(0, last.startNanos() + last.nanos() - chunks.get(0).startNanos());
  }

  @Override
  public long startMillis() {
    return startMillis;
  }

  @Override
  public long nanos() {
    return (isEnding ? endNanos : System.nanoTime()) - startNanos;
  }

  @Override
  public void finish() throws FailedException {
    endNanos = System.nanoTime();
    isEnding = true;
    try {
      end = ended();
    } finally {
      forgetClock();
    }
  }

  private End ended() throws FailedException {
    boolean isAsked = false;
    String said = "";
    if (!isOver()) {
      try {
        said = jvm.diagnose("JFR.stop name=" + name);
        isAsked = said.startsWith(STOPPED);
      } catch (FailedException e) {
        // The JVM may have died, or still be writing the file, which it does before it answers.
        said = FailedException.worded(e);
        isAsked = isTargetAlive();
      }
    }
    boolean isStopped = said.startsWith(STOPPED); // JFR has written it, if it could
    Waiting.until(
        () -> isWhole() || !isTargetAlive() || isSuspended(),
        isStopped ? 0 : WRITE_NANOS,
        PAUSE_MILLIS);
    if (isWhole() || isStopped && isWritten()) {
      return isAsked
          ? End.ASKED
          : Waiting.until(() -> !isTargetAlive(), EXIT_NANOS, PAUSE_MILLIS)
              ? End.PROGRAM
              : End.OUTSIDE;
    }
    String suspended = isTargetAlive() ? jvm.process().whyStopped() : "";
    if (suspended.isEmpty() && isTargetAlive()) {
      throw new FailedException(
          "process %s did not write its recording%s; that JVM's log says why, and a part of it may"
              + " be in %s",
          jvm.process().pid(), said.isEmpty() ? "" : " (JFR.stop: " + said + ")", keep());
    }
    whySuspended = suspended;
    end = suspended.isEmpty() ? End.KILLED : End.SUSPENDED;
    chunks = chunksOfRepository();
    return end;
  }

  private boolean isSuspended() {
    return !jvm.process().whyStopped().isEmpty();
  }

  private List<ChunkFile> chunksOfRepository() throws FailedException {
    List<ChunkFile> found = List.of();
    try {
      found = repository.chunks();
      loss = found.isEmpty() ? "JFR had not yet written anything to " + repository.seen() : "";
    } catch (IOException e) {
      loss =
          "JFR's chunks in " + repository.seen() + " can't be read: " + FailedException.reason(e);
    }
    if (found.isEmpty()) {
      throw new FailedException(ending("") + "; no recording: " + loss);
    }
    return found;
  }

  /** Why JFR's repository has nothing of it, if it was read for it; else empty. */
  String loss() {
    return loss;
  }

  @Override
  public String ending(String after) {
    if (end == null) {
      return "";
    }
    return switch (end) {
      case ASKED -> shortage.isEmpty() ? "" : "ended the recording" + after + ", for " + shortage;
      case PROGRAM -> "the program ended" + after;
      case KILLED -> "the program was killed or crashed" + after;
      case SUSPENDED -> suspended(after, whySuspended);
      case OUTSIDE -> "the recording was ended from outside (detach, or jcmd JFR.stop)" + after;
    };
  }

  /** What is said of a process that is stopped at the end. */
  static String suspended(String after, String why) {
    return (after.isEmpty() ? "" : "at the end," + after + ", ") + "the process " + why;
  }

  @Override
  public String saved() {
    return !hasLostTheEnd()
        ? "what was recorded until then"
        : String.format(
            "what JFR had written until then, up to a second before: %s %s of %s",
            chunks.size(), chunks.size() == 1 ? "chunk" : "chunks", repository.seen());
  }

  private boolean isWhole() {
    return isSeen(
        () -> {
          chunks = ChunkFile.whole(file);
          return !chunks.isEmpty();
        });
  }

  /** A check that reads the target's files. */
  private interface Look {
    boolean shows() throws IOException;
  }

  /** The result of a check; false if the files can't be read. */
  private static boolean isSeen(Look look) {
    try {
      return look.shows();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
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

  @Override
  public void copy(OutputStream out) throws IOException {
    for (ChunkFile chunk : chunks) {
      chunk.copy(out);
    }
  }

  @Override
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

  /**
   * Has JFR read its clock at the end, too, by another recording that begins a chunk: the rate that
   * it states is that of the processor's name. Not needed where it reads the system's clock.
   */
  void readClock() {
    try {
      boolean isSystems =
          repository.chunks().stream()
              .allMatch(chunk -> chunk.header().ticksPerSecond() == TICKS_OF_SYSTEM);
      if (!isSystems && isTargetAlive()) {
        hasClock = true; // also if it begins later
        jvm.diagnose("JFR.start name=" + name + CLOCK + " settings=none");
      }
    } catch (FailedException | IOException e) {
      return; // then the rate is the one that JFR states
    }
  }

  private void forgetClock() {
    if (hasClock && isTargetAlive()) {
      hasClock = false;
      try {
        jvm.diagnose("JFR.stop name=" + name + CLOCK);
      } catch (FailedException e) {
        return; // the JVM has ended
      }
    }
  }

  /** The headers of its chunks. */
  List<ChunkHeader> headers() {
    return chunks.stream().map(ChunkFile::header).toList();
  }

  /** Whether JFR's repository was read, since the program was killed or is stopped. */
  boolean hasLostTheEnd() {
    return end == End.KILLED || end == End.SUSPENDED;
  }

  @Override
  public boolean isReadable() {
    return !chunks.isEmpty();
  }

  /**
   * Leaves the JVM's file where it is.
   *
   * @return its path, as text for the user
   */
  @Override
  public String keep() {
    keepFile = true;
    String seen = hasLostTheEnd() ? repository.seen() : file.seen();
    return seen + ", as process " + jvm.process().pid() + " sees it, for an hour";
  }

  @Override
  public boolean keepsReport() {
    return false; // the agent has it
  }

  /**
   * The agent's summary of it; empty if none. If the agent was attached for such recordings only
   * and this was the last, waits until it has detached.
   */
  @Override
  public String report() throws FailedException {
    if (end == End.SUSPENDED) {
      return ""; // the agent can't answer
    }
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
  @Override
  public void discard() {
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
    exchange.close();
    repository.close();
    file.close();
  }
}
