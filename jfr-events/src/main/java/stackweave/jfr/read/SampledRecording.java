package stackweave.jfr.read;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.context.SampledContext;
import stackweave.jfr.read.time.CellSeries;
import stackweave.jfr.read.time.TimeCells;
import stackweave.jfr.status.SamplerFigures;

/**
 * A recording: its sessions, samples and figures. For exports and other programs; docs/reading.md
 * has an example. Memory use depends on the number of distinct stacks, not of samples, which are
 * read from the file again for each {@link #forEachSample} and {@link #forEachSum}. Not
 * thread-safe.
 */
public final class SampledRecording {
  /** Sums of the samples with equal session, thread, kind, state, stack and end. */
  static final class Tally {
    final SessionData session;
    final long threadKey;
    final SampleKind kind;
    final int state;
    final long stackId;
    final int endCode;

    /** 0 unless samples are chosen by their labels. */
    final long contextId;

    /** Null if times were not asked for. */
    final CellSeries series;

    long count;
    long weightNanos;
    double squares;

    Tally(
        SessionData session,
        long threadKey,
        SampleKind kind,
        int state,
        long stackId,
        int endCode,
        long contextId,
        CellSeries series) {
      this.session = session;
      this.threadKey = threadKey;
      this.kind = kind;
      this.state = state;
      this.stackId = stackId;
      this.endCode = endCode;
      this.contextId = contextId;
      this.series = series;
    }
  }

  /** Receives the distinct stacks of a recording with what else they have in common. */
  @FunctionalInterface
  public interface StackSumVisitor {
    /**
     * A distinct stack of a thread in a state.
     *
     * @param sum the samples that have all that in common, whatever context they are of
     * @param series when they were taken, for {@link #cells}; null if times were not asked for
     */
    void stack(SampleSum sum, CellSeries series);
  }

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
   * @param pid the process of the thread that did it; {@link Blocked#WOKEN_BY_INTERRUPT}
   * @param delayNanos from then until the thread got a CPU, in ns
   */
  public record Waker(StackThread thread, int pid, long delayNanos) {}

  /** With fewer samples shares are too imprecise. */
  private static final long FEW = 100;

  private final RecordingEvents events;
  private final List<SessionData> data;
  private final List<SessionFacts> sessions;
  private final List<Tally> tallies;
  private final SamplerFigures figures;
  private final long shortestIntervalNanos;
  private final long longestIntervalNanos;
  private final List<String> losses;
  private final TimeCells cells;
  private final SampleChoice choice;
  private final long waitingSamples;
  private final Map<String, Long> eventSamples;
  private final long blockedThreads;
  private final Instant first;
  private final Instant last;
  private final long samples;
  private final long weightNanos;
  private final Map<String, Long> nanosByState = new LinkedHashMap<>();
  private final long unresolved;
  private final boolean isWhole;

  private SampledRecording(RecordingEvents events, Gathering gathering) {
    this.events = events;
    this.data = gathering.sessions();
    this.sessions = gathering.facts();
    this.tallies = gathering.tallies();
    this.figures = gathering.figures();
    this.shortestIntervalNanos = gathering.shortestInterval();
    this.longestIntervalNanos = gathering.longestInterval();
    this.cells = gathering.cells();
    this.choice = gathering.choice();
    this.waitingSamples = gathering.waitingSamples();
    this.eventSamples = gathering.eventSamples();
    this.blockedThreads = gathering.blockedThreads();
    this.first = gathering.first();
    this.last = gathering.last();
    long samples = 0;
    long weight = 0;
    long unresolved = 0;
    for (Tally tally : tallies) {
      samples += tally.count;
      weight += tally.weightNanos;
      nanosByState.merge(tally.session.state(tally.state), tally.weightNanos, Long::sum);
      if (tally.endCode == SampleAttributes.LOST.endCode()
          || !tally.session.isResolved(tally.stackId)
          || !tally.session.hasThread(tally.threadKey)) {
        unresolved += tally.count;
      }
    }
    this.samples = samples;
    this.weightNanos = weight;
    this.unresolved = unresolved;
    List<String> all = new ArrayList<>(events.losses());
    if (gathering.badBlocks() > 0) {
      all.add(gathering.badBlocks() + " blocks of definitions can't be read");
    }
    this.isWhole = all.isEmpty();
    if (unresolved > 0) {
      all.add(unresolved + " of " + samples + " samples lack part of their stack or thread");
    }
    this.losses = List.copyOf(all);
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
   * What follows, sums included, has these samples alone.
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
    Gathering gathering = new Gathering(file, timed, change, choice);
    try {
      events.read(gathering);
      gathering.finish();
      String why = gathering.whyEmpty(events.losses());
      if (!why.isEmpty()) {
        throw RecordingException.withoutSamples(file, why);
      }
      return new SampledRecording(events, gathering);
    } catch (OutOfMemoryError e) {
      // All of it follows from what the file says, and is garbage now.
      long megabytes = Runtime.getRuntime().maxMemory() >> 20;
      throw new RecordingException(
          file
              + ": its stacks do not fit into a heap of "
              + megabytes
              + " MB: -Xmx makes it larger",
          e);
    }
  }

  /** Which samples these are. */
  public SampleChoice choice() {
    return choice;
  }

  /** Samples of waiting threads in the file, whether they are among the chosen ones or not. */
  public long waitingSamples() {
    return waitingSamples;
  }

  /**
   * Samples of events in the file by the event's name, whether they are among the chosen ones or
   * not; unmodifiable.
   */
  public Map<String, Long> eventSamples() {
    return eventSamples;
  }

  /** Events of blocked threads in the file. */
  public long blockedThreads() {
    return blockedThreads;
  }

  /**
   * The time that the samples stand for by the threads' state, in ns, as first met; unmodifiable.
   */
  public Map<String, Long> nanosByState() {
    return Collections.unmodifiableMap(nanosByState);
  }

  /** The file that it was read from. */
  public Path file() {
    return events.file();
  }

  /** Whether the application labelled any sample of it, whether that is chosen or not. */
  public boolean hasContexts() {
    return data.stream().anyMatch(SessionData::hasContexts);
  }

  /** The processes that were sampled. */
  public List<SessionFacts> sessions() {
    return sessions;
  }

  /** The figures of sampling, summed over the recording. */
  public SamplerFigures figures() {
    return figures;
  }

  /**
   * The shortest interval between samples of a thread that was asked for while samples were taken,
   * in ns of CPU time; 0 if it is not known. It changes with the recordings of a JVM, and files may
   * have several JVMs.
   */
  public long shortestIntervalNanos() {
    return shortestIntervalNanos;
  }

  /** The longest one. */
  public long longestIntervalNanos() {
    return longestIntervalNanos;
  }

  /** What is missing in the recording, one line each; empty for nothing. */
  public List<String> losses() {
    return losses;
  }

  /**
   * What a reader should know of the samples, one line each; empty for nothing: how precise they
   * are, and the agent's notes.
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (samples < FEW) {
      warnings.add(samples + (samples == 1 ? " sample" : " samples") + " only: shares are rough");
    }
    if (figures.coverage().isMuchMissed() && !choice.isEvent()) {
      warnings.add(figures.coverage().start());
    }
    if (!figures.note().isEmpty()) {
      warnings.add(figures.note());
    }
    return warnings;
  }

  /** Whether all of the file was read: it was not cut short, and no part of it is damaged. */
  public boolean isWhole() {
    return isWhole;
  }

  /** Number of samples. */
  public long samples() {
    return samples;
  }

  /** What the samples stand for, in the unit of {@link #choice}: CPU time in ns, if not said. */
  public long weightNanos() {
    return weightNanos;
  }

  /** Samples whose stack or thread is not completely in the recording. */
  public long unresolved() {
    return unresolved;
  }

  /** Time of the first sample. */
  public Instant first() {
    return first;
  }

  /** Time of the last sample. */
  public Instant last() {
    return last;
  }

  /**
   * Visits every sample in file order, which is roughly that of time, with one at a time in memory.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public void forEachSample(Consumer<Sample> consumer) throws RecordingException {
    events.readSamples(new Replay(data, choice, consumer));
  }

  /**
   * Visits the events of blocked threads in file order. One that is not over may come again with a
   * longer time, of the same thread and start.
   *
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  public void forEachBlocked(Consumer<BlockedThread> consumer) throws RecordingException {
    events.readBlocked(new BlockedReplay(data, consumer));
  }

  /**
   * Visits every distinct stack of a thread and a state, in the order in which they were first met.
   */
  public void forEachStack(StackVisitor visitor) {
    List<SampledFrame> frames = new ArrayList<>();
    for (Tally tally : tallies) {
      boolean resolved = tally.session.resolve(tally.stackId, frames);
      visitor.stack(
          tally.session.thread(tally.threadKey),
          resolved ? tally.session.end(tally.endCode) : SessionData.lostEnd(),
          frames,
          tally.count,
          tally.weightNanos);
    }
  }

  /** When samples were taken; empty if the recording was opened without times. */
  public Optional<TimeCells> cells() {
    return Optional.ofNullable(cells);
  }

  /** Visits every distinct stack as {@link #forEachStack} does, with state and times. */
  public void forEachStackSum(StackSumVisitor visitor) {
    List<SampledFrame> frames = new ArrayList<>();
    List<SampledFrame> view = Collections.unmodifiableList(frames);
    for (Tally tally : tallies) {
      boolean resolved = tally.session.resolve(tally.stackId, frames);
      visitor.stack(
          new SampleSum(
              tally.session.facts(),
              tally.session.thread(tally.threadKey),
              tally.kind,
              tally.session.state(tally.state),
              tally.session.context(tally.contextId),
              resolved ? tally.session.end(tally.endCode) : SessionData.lostEnd(),
              view,
              tally.count,
              tally.weightNanos,
              tally.squares),
          tally.series);
    }
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
    Summing summing = new Summing(data, choice, nanosOf(from), nanosOf(to));
    events.readSamples(summing);
    List<SampledFrame> frames = new ArrayList<>();
    List<SampledFrame> view = Collections.unmodifiableList(frames);
    summing.sums.forEach(
        (key, sum) -> {
          SessionData session = data.get(key.session());
          boolean resolved = session.resolve(key.stackId(), frames);
          consumer.accept(
              new SampleSum(
                  session.facts(),
                  session.thread(key.threadKey()),
                  key.kind(),
                  session.state(key.state()),
                  session.context(key.contextId()),
                  resolved ? session.end(key.end()) : SessionData.lostEnd(),
                  view,
                  sum.count,
                  sum.weightNanos,
                  sum.squares));
        });
  }

  /** A time in ns since 1970; the nearest that a number holds for times far from it. */
  private static long nanosOf(Instant time) {
    try {
      return Math.addExact(
          Math.multiplyExact(time.getEpochSecond(), 1_000_000_000L), time.getNano());
    } catch (ArithmeticException e) {
      return time.getEpochSecond() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  /** Samples with the definitions that were gathered before. */
  private abstract static class Defined implements SampleSink {
    private final List<SessionData> sessions;
    private final SampleChoice choice;

    /** By code of a state of the session: whether it is chosen. */
    private final Map<Integer, Boolean> chosen = new HashMap<>();

    /** The same by context. */
    private final Map<Long, Boolean> chosenContexts = new HashMap<>();

    SessionData session;
    int sessionNumber;

    Defined(List<SessionData> sessions, SampleChoice choice) {
      this.sessions = sessions;
      this.choice = choice;
    }

    abstract void chosen(
        SampleKind kind,
        long nanos,
        long threadKey,
        int state,
        long weight,
        long stackId,
        int end,
        long contextId);

    @Override
    public void sample(
        long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId) {
      if (!choice.isEvent() && takesState(state) && takesContext(contextId)) {
        chosen(SampleKind.CPU, nanos, threadKey, state, weight, stackId, end, contextId);
      }
    }

    @Override
    public void wallSample(
        long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId) {
      if (choice.isWall() && takesState(state) && takesContext(contextId)) {
        chosen(SampleKind.WAITING, nanos, threadKey, state, weight, stackId, end, contextId);
      }
    }

    @Override
    public void eventSample(
        long nanos,
        long threadKey,
        String event,
        long weight,
        long stackId,
        int end,
        long contextId) {
      if (choice.takesEvent(event) && takesContext(contextId)) {
        chosen(SampleKind.EVENT, nanos, threadKey, 0, weight, stackId, end, contextId);
      }
    }

    private boolean takesContext(long contextId) {
      return choice.hasAllLabels()
          || chosenContexts.computeIfAbsent(
              contextId, id -> choice.takesLabels(session.context(id).all()));
    }

    private boolean takesState(int state) {
      return choice.hasAllStates()
          || chosen.computeIfAbsent(state, code -> choice.takesState(session.state(code)));
    }

    @Override
    public void begin(int number) throws RecordingException {
      if (number >= sessions.size()) {
        throw new RecordingException("the recording changed while it was read");
      }
      if (session != sessions.get(number)) {
        chosen.clear();
        chosenContexts.clear();
      }
      sessionNumber = number;
      session = sessions.get(number);
    }

    @Override
    public void stackSample(
        long nanos, long threadKey, long weight, long stackId, long attributesId) {
      SampleAttributes attributes = session.attributesOrLost(attributesId);
      sample(
          nanos - attributes.ageNanos(),
          threadKey,
          attributes.stateCode(),
          weight,
          stackId,
          attributes.endCode(),
          attributes.contextId());
    }
  }

  /** Hands on one sample after the other. */
  private static final class Replay extends Defined {
    private final Consumer<Sample> consumer;

    Replay(List<SessionData> sessions, SampleChoice choice, Consumer<Sample> consumer) {
      super(sessions, choice);
      this.consumer = consumer;
    }

    @Override
    void chosen(
        SampleKind kind,
        long nanos,
        long threadKey,
        int state,
        long weight,
        long stackId,
        int end,
        long contextId) {
      List<SampledFrame> frames = new ArrayList<>();
      boolean resolved = session.resolve(stackId, frames);
      consumer.accept(
          new Sample(
              session.facts(),
              Instant.ofEpochSecond(0, nanos),
              session.thread(threadKey),
              kind,
              session.state(state),
              weight,
              session.context(contextId),
              resolved ? session.end(end) : SessionData.lostEnd(),
              Collections.unmodifiableList(frames)));
    }
  }

  /** Hands on one blocked thread after the other, and no samples. */
  private static final class BlockedReplay extends Defined {
    private final Consumer<BlockedThread> consumer;

    BlockedReplay(List<SessionData> sessions, Consumer<BlockedThread> consumer) {
      super(sessions, SampleChoice.CPU);
      this.consumer = consumer;
    }

    @Override
    void chosen(
        SampleKind kind,
        long nanos,
        long threadKey,
        int state,
        long weight,
        long stackId,
        int end,
        long contextId) {
      // Not asked for.
    }

    @Override
    public void blocked(
        long nanos,
        long duration,
        long threadKey,
        int state,
        long stackId,
        int end,
        boolean isOver,
        long wakerKey,
        int wakerPid,
        long wakeDelay,
        long contextId) {
      List<SampledFrame> frames = new ArrayList<>();
      boolean resolved = session.resolve(stackId, frames);
      consumer.accept(
          new BlockedThread(
              session.facts(),
              Instant.ofEpochSecond(0, nanos),
              duration,
              isOver,
              session.thread(threadKey),
              session.state(state),
              resolved ? session.end(end) : SessionData.lostEnd(),
              Collections.unmodifiableList(frames),
              wakerPid == 0
                  ? null
                  : new Waker(wakerKey == 0 ? null : session.thread(wakerKey), wakerPid, wakeDelay),
              session.context(contextId)));
    }
  }

  /** Counts those of a time. */
  private static final class Summing extends Defined {
    private record Key(
        int session,
        long threadKey,
        SampleKind kind,
        int state,
        long stackId,
        int end,
        long contextId) {}

    private static final class Sum {
      private long count;
      private long weightNanos;
      private double squares;
    }

    private final long from;
    private final long to;

    private final Map<Key, Sum> sums = new LinkedHashMap<>();

    Summing(List<SessionData> sessions, SampleChoice choice, long from, long to) {
      super(sessions, choice);
      this.from = from;
      this.to = to;
    }

    @Override
    void chosen(
        SampleKind kind,
        long nanos,
        long threadKey,
        int state,
        long weight,
        long stackId,
        int end,
        long contextId) {
      if (nanos >= from && (nanos < to || to == Long.MAX_VALUE)) {
        Key key = new Key(sessionNumber, threadKey, kind, state, stackId, end, contextId);
        Sum sum = sums.computeIfAbsent(key, k -> new Sum());
        sum.count++;
        sum.weightNanos += weight;
        sum.squares += (double) weight * weight;
      }
    }
  }
}
