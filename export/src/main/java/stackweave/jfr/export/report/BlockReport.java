package stackweave.jfr.export.report;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.ShortNames;
import stackweave.jfr.export.Texts;
import stackweave.jfr.export.thread.ThreadKey;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SampledRecording.BlockedThread;
import stackweave.jfr.read.SampledRecording.Waker;
import stackweave.jfr.status.Counter;

/**
 * The section of a report that lists the longest blocks. Idle ones, by the methods of {@link
 * IdleKind}, are counted separately. Holds only the blocks that it lists, and those that have not
 * ended.
 */
final class BlockReport {
  /** Columns of a thread's name, which leave room for state and time. */
  private static final int MAX_THREAD = 28;

  private static final Comparator<BlockedThread> BY_TIME =
      Comparator.comparingLong(BlockedThread::nanos).thenComparing(BlockedThread::start);

  /** Most that two starts of a block differ by: each chunk converts it by its own clock. */
  private static final Duration SAME_START = Duration.ofMillis(2);

  private final SampledRecording recording;
  private final int most;
  private final PriorityQueue<BlockedThread> longest = new PriorityQueue<>(BY_TIME);

  /** The last event of a thread's block that goes on; it comes again, longer, in each chunk. */
  private final Map<ThreadKey, BlockedThread> open = new HashMap<>();

  private final Sums.Sum work = new Sums.Sum("");
  private final Sums.Sum idle = new Sums.Sum("");

  private BlockReport(SampledRecording recording, int most) {
    this.recording = recording;
    this.most = most;
  }

  /**
   * The section; empty if the recording has no such events.
   *
   * @param recording of which each block is visited
   * @param rows how many blocks it lists
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  static ReportSection section(SampledRecording recording, int rows) throws RecordingException {
    ReportSection section = new ReportSection("Longest blocks");
    if (recording.blockedThreads() > 0) {
      new BlockReport(recording, rows).fill(section);
    }
    return section;
  }

  private void fill(ReportSection section) throws RecordingException {
    recording.forEachBlocked(this::take);
    open.values().forEach(this::add);
    long threshold = recording.figures().get(Counter.BLOCKED_THRESHOLD);
    long unseen = recording.figures().get(Counter.BLOCKED_UNSEEN);
    section.say(
        "%s a thread was blocked inside work%s, %s in all%s.%s",
        times(work.count),
        threshold > 0 ? " for " + Timespans.format(threshold) + " or longer" : "",
        Texts.seconds(work.nanos),
        idle.count == 0
            ? ""
            : Texts.of(
                "; %s, %s in all, it was idle", times(idle.count), Texts.seconds(idle.nanos)),
        unseen == 0 ? "" : Texts.of(" %,d more ended before their stack was read.", unseen));
    section.head("LASTED", "THREAD, STATE AND PLACE");
    List<BlockedThread> sorted = new ArrayList<>(longest);
    sorted.sort(BY_TIME.reversed());
    sorted.forEach(block -> addRows(block, section));
  }

  private static String times(long count) {
    return Texts.count(count) + (count == 1 ? " time" : " times");
  }

  private void take(BlockedThread block) {
    ThreadKey key = ThreadKey.of(block.session(), block.thread());
    BlockedThread before = open.remove(key);
    boolean isSame =
        before != null
            && Duration.between(before.start(), block.start()).abs().compareTo(SAME_START) < 0;
    if (before != null && !isSame) {
      add(before); // its end is in no chunk
    }
    if (block.isOver()) {
      add(block);
    } else {
      open.put(key, isSame && before.nanos() > block.nanos() ? before : block);
    }
  }

  private void add(BlockedThread block) {
    if (IdleKind.of(block.state(), block.frames()) != null) {
      idle.add(1, block.nanos());
      return;
    }
    work.add(1, block.nanos());
    longest.add(block);
    if (longest.size() > most) {
      longest.poll();
    }
  }

  private static String waker(BlockedThread block) {
    Waker waker = block.waker();
    String who;
    if (waker.thread() != null) {
      who = ShortNames.cut(waker.thread().text(), MAX_THREAD);
    } else if (waker.pid() == Blocked.WOKEN_BY_INTERRUPT) {
      who = "an interrupt";
    } else {
      boolean isOwn = waker.pid() == block.session().pid();
      who = isOwn ? "a thread of its own process" : "process " + waker.pid();
    }
    return block.isOver() ? Texts.of("%s, ran %.1f ms later", who, waker.delayNanos() / 1e6) : who;
  }

  private static void addRows(BlockedThread block, ReportSection section) {
    section.row(
        (block.isOver() ? "" : ">") + Texts.seconds(block.nanos()),
        Texts.of(
            "%s, %s, at %s",
            ShortNames.cut(block.thread().text(), MAX_THREAD),
            block.state(),
            block.start().truncatedTo(ChronoUnit.MILLIS)));
    if (block.waker() != null) {
      section.row("", "  woken by " + waker(block));
    }
    List<SampledFrame> frames = block.frames();
    int java = CodeOrigin.innermostJava(frames);
    Set<String> inner = new LinkedHashSet<>();
    if (java >= 0) {
      inner.add(frames.get(java).text());
    }
    if (!frames.isEmpty()) {
      inner.add(frames.get(frames.size() - 1).text());
    }
    String place = WaitSums.place(frames);
    section.row("", "  " + place);
    inner.remove(place);
    inner.forEach(text -> section.row("", "    " + text));
  }
}
