package stackweave.jfr.read;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.read.context.SampledContext;
import stackweave.jfr.read.jdk.JdkSamples;
import stackweave.jfr.read.time.TimeCells;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/**
 * A recording: its sessions, samples and figures. For exports and other programs;
 * docs/reading-results.md has an example. Memory use depends on the number of distinct stacks, not
 * of samples, which are read from the file again for each {@link #forEachSample}, {@link
 * #forEachSum} and {@link #forEachCellSum}. Not thread-safe.
 */
public final class SampledRecording implements Profile {
  /**
   * A thread that was off the CPU for long. Immutable.
   *
   * @param session its process
   * @param start when it left its CPU
   * @param nanos time until it got a CPU again, or until its chunk ended, in ns
   * @param isOver false if it was still blocked when its chunk ended
   * @param thread which thread it was
   * @param state label of what it waited for
   * @param end why the stack ends
   * @param frames the thread's first frame first
   * @param waker who woke it; null where that is not known
   * @param context what the thread worked for
   */
  public record BlockedThread(
      SessionFacts session,
      Instant start,
      long nanos,
      boolean isOver,
      StackThread thread,
      String state,
      StackEnd end,
      List<SampledFrame> frames,
      Waker waker,
      SampledContext context) {}

  /**
   * What ended a block. Immutable.
   *
   * @param thread the thread of the same process; null if it was none of them
   * @param pid the process of the thread that did it; -1 if an interrupt did
   * @param delayNanos from then until the thread got a CPU, in ns
   */
  public record Waker(StackThread thread, int pid, long delayNanos) {}

  private final RecordingEvents events;
  private final Gathering gathered;
  private final List<SessionData> data;
  private final List<SessionFacts> sessions;
  private final SamplerFigures figures;

  /** What took the samples instead of the agent; null if it did. */
  private final JdkSamples jdk;

  private final String whyNotAgent;
  private final List<String> losses;
  private final boolean isWhole;
  private long samples;
  private long weightNanos;
  private long unresolved;

  /**
   * @param whyNotAgent a sentence on why others' samples take the place of the agent's; empty for
   *     nothing
   */
  private SampledRecording(RecordingEvents events, Gathering gathered, String whyNotAgent) {
    this.whyNotAgent = whyNotAgent;
    this.events = events;
    this.gathered = gathered;
    this.data = gathered.sessions;
    this.sessions = gathered.facts();
    this.jdk = events.jdk();
    this.figures = jdk == null ? gathered.figures() : jdk.figures();
    gathered.tallies.forEach(this::sumUp);
    List<String> all = new ArrayList<>(events.losses());
    if (gathered.badBlocks > 0) {
      all.add(gathered.badBlocks + " blocks of definitions can't be read");
    }
    this.isWhole = all.isEmpty();
    if (unresolved > 0) {
      all.add(unresolved + " of " + samples + " samples lack part of their stack or thread");
    }
    this.losses = List.copyOf(all);
  }

  private void sumUp(SampleTally.Key key, SampleTally tally) {
    SessionData session = data.get(key.session());
    samples += tally.count;
    weightNanos += tally.weightNanos;
    if (key.end() == SessionData.Attributes.LOST.endCode()
        || !session.isResolved(key.stackId())
        || !session.hasThread(key.threadKey())) {
      unresolved += tally.count;
    }
  }

  /**
   * Opens a recording. It may be truncated or merged from several processes; what is missing is in
   * {@link #losses}.
   *
   * @throws RecordingException if it has no samples that can be read; one line for users
   */
  public static SampledRecording open(Path file) throws RecordingException {
    return open(file, ReadingProgress.NONE);
  }

  /**
   * The same, which takes long for large recordings.
   *
   * @param progress is told how far it is, also of each {@link #forEachSample}
   * @throws RecordingException if there is nothing to read: one line, for people
   */
  public static SampledRecording open(Path file, ReadingProgress progress)
      throws RecordingException {
    return open(file, progress, false, SampledFrame.Change.NONE);
  }

  /**
   * The same, which also counts the samples of each stack by time: {@link #cells} and {@link
   * #forEachStackSum} have them then.
   *
   * @throws RecordingException if there is nothing to read: one line, for people
   */
  public static SampledRecording openTimed(Path file, ReadingProgress progress)
      throws RecordingException {
    return open(file, progress, true, SampledFrame.Change.NONE);
  }

  /**
   * The same with other frames than were recorded.
   *
   * @param timed whether samples are counted by time, as by {@link #openTimed}
   * @param change what becomes of each frame
   * @throws RecordingException if there is nothing to read: one line, for people
   */
  public static SampledRecording open(
      Path file, ReadingProgress progress, boolean timed, SampledFrame.Change change)
      throws RecordingException {
    return open(file, progress, timed, change, SampleChoice.CPU);
  }

  /**
   * The same with other samples than those of CPU time, which all other methods of this name read.
   * The recording then has only these samples, in its sums, too. {@link SampleChoice#orOfJdk} also
   * takes recordings that the agent took no part in.
   *
   * @param timed whether samples are counted by time, as by {@link #openTimed}
   * @param change what becomes of each frame
   * @param choice which samples
   * @throws RecordingException if there is nothing to read: one line, for people
   */
  public static SampledRecording open(
      Path file,
      ReadingProgress progress,
      boolean timed,
      SampledFrame.Change change,
      SampleChoice choice)
      throws RecordingException {
    RecordingEvents events = new RecordingEvents(file, progress);
    try {
      String why = "";
      boolean isOfAgentsJvm = false;
      if (!choice.isOfJdk()) {
        Gathering gathering = gather(events, timed, change, choice);
        why = gathering.whyEmpty(events.losses());
        if (why.isEmpty()) {
          return new SampledRecording(events, gathering, "");
        } else if (!choice.isOrOfJdk() || !gathering.isWithoutAgent()) {
          throw RecordingException.withoutSamples(file, why);
        }
        isOfAgentsJvm = !gathering.facts().isEmpty();
      }
      RecordingEvents ofJdk = events.ofJdk(choice);
      Gathering gathering = gather(ofJdk, timed, change, ofJdk.jdk().choice());
      String whyNone = gathering.whyEmptyOfJdk(ofJdk.jdk(), why, ofJdk.losses());
      if (!whyNone.isEmpty()) {
        throw RecordingException.withoutSamples(file, whyNone);
      }
      return new SampledRecording(ofJdk, gathering, isOfAgentsJvm ? "The recording " + why : "");
    } catch (OutOfMemoryError e) {
      // The result depends only on the file; what reading it took is garbage now.
      long megabytes = Runtime.getRuntime().maxMemory() >> 20;
      throw new RecordingException(
          file
              + ": its stacks do not fit into a heap of "
              + megabytes
              + " MB: -Xmx makes it larger",
          e);
    }
  }

  private static Gathering gather(
      RecordingEvents events, boolean timed, SampledFrame.Change change, SampleChoice choice)
      throws RecordingException {
    Gathering gathering = new Gathering(events.file(), timed, change, choice);
    events.read(gathering);
    gathering.finish();
    return gathering;
  }

  /**
   * As asked for, if those of JFR itself do not take the place of the agent's: then of JFR's
   * execution samples where the CPU time that they stand for is not known.
   */
  @Override
  public SampleChoice choice() {
    return gathered.choice;
  }

  @Override
  public long waitingSamples() {
    return gathered.waitingSamples;
  }

  @Override
  public Map<String, Long> eventSamples() {
    return Collections.unmodifiableMap(gathered.eventSamples);
  }

  /** Events of blocked threads in the file. */
  public long blockedThreads() {
    return gathered.blockedThreads;
  }

  /** The file that it was read from. */
  public Path file() {
    return events.file();
  }

  /** Whether the agent took the samples; otherwise JFR itself or another profiler did. */
  public boolean isOfAgent() {
    return jdk == null;
  }

  /** Whether the application labelled any sample of it, whether that is chosen or not. */
  public boolean hasContexts() {
    return data.stream().anyMatch(SessionData::hasContexts);
  }

  @Override
  public List<SessionFacts> sessions() {
    return sessions;
  }

  @Override
  public SamplerFigures figures() {
    return figures;
  }

  /** It changes with the recordings of a JVM, and files may have several JVMs. */
  @Override
  public long shortestIntervalNanos() {
    return jdk == null ? gathered.shortestInterval() : figures.get(Counter.INTERVAL);
  }

  @Override
  public long longestIntervalNanos() {
    return jdk == null ? gathered.longestInterval() : figures.get(Counter.INTERVAL);
  }

  @Override
  public List<String> losses() {
    return losses;
  }

  @Override
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>(Profile.super.warnings());
    if (!whyNotAgent.isEmpty()) {
      warnings.add(whyNotAgent);
    }
    warnings.addAll(jdk == null ? List.of() : jdk.notes());
    return warnings;
  }

  /** Whether all of the file was read: it was not cut short, and no part of it is damaged. */
  public boolean isWhole() {
    return isWhole;
  }

  @Override
  public long samples() {
    return samples;
  }

  @Override
  public long weightNanos() {
    return weightNanos;
  }

  /** Samples whose stack or thread is not completely in the recording. */
  public long unresolved() {
    return unresolved;
  }

  @Override
  public Instant first() {
    return gathered.first();
  }

  @Override
  public Instant last() {
    return gathered.last();
  }

  /**
   * Visits every sample in file order, which is roughly that of time, with one at a time in memory.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public void forEachSample(Consumer<Sample> consumer) throws RecordingException {
    events.readSamples(
        new Visit(
            false,
            (number, session, raw) ->
                consumer.accept(
                    new Sample(
                        session.facts(),
                        Instant.ofEpochSecond(0, raw.timeNanos),
                        session.thread(raw.threadKey),
                        SampleTally.kindOf(raw),
                        session.state(raw.state),
                        raw.weight,
                        session.context(raw.contextId),
                        session.endOf(raw.stackId, raw.end),
                        session.frames(raw.stackId)))));
  }

  /**
   * Visits the events of blocked threads in file order. One that is not over may come again with a
   * longer time, of the same thread and start.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public void forEachBlocked(Consumer<BlockedThread> consumer) throws RecordingException {
    events.readBlocked(
        new Visit(
            true,
            (number, session, raw) ->
                consumer.accept(
                    new BlockedThread(
                        session.facts(),
                        Instant.ofEpochSecond(0, raw.timeNanos),
                        raw.weight,
                        raw.isOver,
                        session.thread(raw.threadKey),
                        session.state(raw.state),
                        session.endOf(raw.stackId, raw.end),
                        session.frames(raw.stackId),
                        waker(session, raw),
                        session.context(raw.contextId)))));
  }

  private static Waker waker(SessionData session, SampleRecord block) {
    return block.wakerPid == 0
        ? null
        : new Waker(
            block.wakerKey == 0 ? null : session.thread(block.wakerKey),
            block.wakerPid,
            block.wakeDelayNanos);
  }

  /** Empty if the recording was opened without times. */
  @Override
  public Optional<TimeCells> cells() {
    return Optional.ofNullable(gathered.cells);
  }

  /** In the order in which they were first met. */
  @Override
  public void forEachStackSum(StackSumVisitor visitor) {
    List<SampledFrame> frames = new ArrayList<>();
    gathered.tallies.forEach((key, tally) -> visitor.stack(sum(key, tally, frames), tally.series));
  }

  /**
   * What a tally has counted.
   *
   * @param frames filled with those of its stack
   */
  private SampleSum sum(SampleTally.Key key, SampleTally tally, List<SampledFrame> frames) {
    SessionData session = data.get(key.session());
    session.resolve(key.stackId(), frames);
    return new SampleSum(
        session.facts(),
        session.thread(key.threadKey()),
        key.kind(),
        key.event(),
        session.state(key.state()),
        session.context(key.contextId()),
        session.endOf(key.stackId(), key.end()),
        Collections.unmodifiableList(frames),
        tally.count,
        tally.weightNanos,
        tally.squares);
  }

  /**
   * Sums up the samples of a time, and visits each sum in the order in which they were first met.
   * Reads the file again; holds one entry for each sum.
   *
   * @param from the first time that is in it
   * @param to the first time after it
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public void forEachSum(Instant from, Instant to, Consumer<SampleSum> consumer)
      throws RecordingException {
    long first = nanosOf(from);
    long behind = nanosOf(to);
    CellSums sums = new CellSums(Integer.MAX_VALUE, (start, sum) -> consumer.accept(sum));
    events.readSamples(
        new Visit(
            false,
            (number, session, raw) -> {
              if (raw.timeNanos >= first && (raw.timeNanos < behind || behind == Long.MAX_VALUE)) {
                sums.add(0, number, raw);
              }
            }));
    sums.visit();
  }

  /**
   * Sums up the samples by cells of time, and by their context beside all by which {@link
   * #forEachStackSum} sums up. The sums of all cells are those of {@link #forEachStackSum}: memory
   * is left out of each cell where it is left out of the whole, and a cell's sum of memory is below
   * 0 if more was given back in it. A sample counts in the cell in which it was taken, whatever
   * time before it its weight stands for. Reads the file again.
   *
   * @param width of a cell, positive; cells begin at its multiples since 1970, UTC
   * @param most how many sums are held at a time, at least 1; when there are more, all are visited
   *     and dropped, so that a sum may come in parts
   * @param visitor gets when the cell begins, and a sum, whose frames are valid during the call
   *     only; in no order
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public void forEachCellSum(Duration width, int most, BiConsumer<Instant, SampleSum> visitor)
      throws RecordingException {
    long nanos = width.toNanos();
    if (nanos <= 0 || most < 1) {
      throw new IllegalArgumentException("cells of " + width + ", " + most + " sums");
    }
    CellSums sums = new CellSums(most, visitor);
    boolean isOfMemory = choice().unit() == WeightUnit.BYTES;
    events.readSamples(
        new Visit(
            false,
            (number, session, raw) -> {
              if (!isOfMemory || gathered.tallies.containsKey(gathered.key(number, raw))) {
                long time = Math.max(raw.timeNanos, Long.MIN_VALUE + nanos); // others are damaged
                sums.add(time - Math.floorMod(time, nanos), number, raw);
              }
            }));
    sums.visit();
  }

  /** Sums of samples by cells of time while the file is read. */
  private final class CellSums {
    private record Key(long startNanos, SampleTally.Key samples) {}

    private final int most;
    private final BiConsumer<Instant, SampleSum> visitor;
    private final Map<Key, SampleTally> tallies = new LinkedHashMap<>();
    private final List<SampledFrame> frames = new ArrayList<>();

    CellSums(int most, BiConsumer<Instant, SampleSum> visitor) {
      this.most = most;
      this.visitor = visitor;
    }

    void add(long startNanos, int number, SampleRecord raw) {
      Key key = new Key(startNanos, SampleTally.Key.of(number, raw, raw.contextId));
      if (tallies.size() == most && !tallies.containsKey(key)) {
        visit();
      }
      tallies.computeIfAbsent(key, any -> new SampleTally(null)).add(raw.weight);
    }

    /** Visits and drops all. */
    void visit() {
      tallies.forEach(
          (key, tally) ->
              visitor.accept(
                  Instant.ofEpochSecond(0, key.startNanos), sum(key.samples, tally, frames)));
      tallies.clear();
    }
  }

  /** A time in ns since 1970; the nearest that a number holds for times far from it. */
  private static long nanosOf(Instant time) {
    long seconds = TimeUnit.SECONDS.toNanos(time.getEpochSecond());
    boolean isFar = seconds == Long.MIN_VALUE || seconds == Long.MAX_VALUE;
    return isFar ? seconds : seconds + time.getNano();
  }

  /** Receives chosen samples with their definitions. */
  private interface RawVisitor {
    void visit(int number, SessionData session, SampleRecord sample);
  }

  /** Visits the chosen samples of another reading, or the blocked threads. */
  private final class Visit implements RecordingEvents.Sink {
    private final boolean isOfBlocked;
    private final RawVisitor visitor;

    /** By code of a state of the session: whether it is chosen. */
    private final Map<Integer, Boolean> chosen = new HashMap<>();

    /** The same by context. */
    private final Map<Long, Boolean> chosenContexts = new HashMap<>();

    private SessionData session;
    private int number;

    Visit(boolean isOfBlocked, RawVisitor visitor) {
      this.isOfBlocked = isOfBlocked;
      this.visitor = visitor;
    }

    @Override
    public void begin(int newNumber) throws RecordingException {
      if (newNumber >= data.size()) {
        throw new RecordingException("the recording changed while it was read");
      }
      if (session != data.get(newNumber)) {
        chosen.clear();
        chosenContexts.clear();
      }
      number = newNumber;
      session = data.get(newNumber);
    }

    @Override
    public void sample(SampleRecord sample) {
      if (sample.attributesId != EventDecoder.NO_ATTRIBUTES) {
        session.attributesOrLost(sample.attributesId).giveTo(sample);
      }
      if (isOfBlocked ? sample.kind == SampleRecord.Kind.BLOCKED : isChosen(sample)) {
        visitor.visit(number, session, sample);
      }
    }

    private boolean isChosen(SampleRecord sample) {
      SampleChoice choice = choice();
      return SampleTally.isChosen(choice, sample)
          && (choice.hasAllStates()
              || chosen.computeIfAbsent(
                  sample.state, code -> choice.takesState(session.state(code))))
          && (choice.hasAllLabels()
              || chosenContexts.computeIfAbsent(
                  sample.contextId, id -> choice.takesLabels(session.context(id).all())));
    }
  }
}
