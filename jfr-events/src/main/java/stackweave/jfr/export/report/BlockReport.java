package stackweave.jfr.export.report;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.export.ShortNames;
import stackweave.jfr.export.Times;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SampledRecording.BlockedThread;
import stackweave.jfr.read.SampledRecording.Waker;
import stackweave.jfr.status.Counter;

/**
 * The section of a report that lists the longest blocks. Idle ones, by the methods of {@link
 * IdleKind}, are counted apart. Holds no more blocks than it lists, and those that are not over.
 */
final class BlockReport {
  /** Columns of a thread's name, so that state and time have room behind it. */
  private static final int MAX_THREAD = 28;

  private static final Comparator<BlockedThread> BY_TIME =
      Comparator.comparingLong(BlockedThread::nanos).thenComparing(BlockedThread::start);

  /**
   * How far the start of a block may be from itself: each chunk converts it by a clock of its own.
   */
  private static final Duration SAME_START = Duration.ofMillis(2);

  private record Key(String session, long osThreadId) {}

  private final SampledRecording recording;
  private final PriorityQueue<BlockedThread> longest = new PriorityQueue<>(BY_TIME);

  /** A block that is not over comes again in each chunk, longer each time; one for each thread. */
  private final Map<Key, BlockedThread> open = new HashMap<>();

  private long count;
  private long nanos;
  private long idleCount;
  private long idleNanos;
  private int most;

  /**
   * @param recording of which each block is visited
   */
  BlockReport(SampledRecording recording) {
    this.recording = recording;
  }

  /**
   * The section; empty if the recording has no such events.
   *
   * @param rows how many blocks it lists
   * @throws RecordingException if the file can't be read any more; one line for users
   */
  Section section(int rows) throws RecordingException {
    Section section = new Section("Longest blocks");
    if (recording.blockedThreads() == 0) {
      return section;
    }
    most = rows;
    recording.forEachBlocked(this::take);
    open.values().forEach(this::add);
    section.sentences.add(
        String.format(
            Locale.ROOT,
            "%s a thread was blocked inside work%s, %s in all%s.%s",
            times(count),
            threshold(),
            Times.seconds(nanos),
            idle(),
            unseen()));
    section.head = List.of("LASTED", "THREAD, STATE AND PLACE");
    List<BlockedThread> sorted = new ArrayList<>(longest);
    sorted.sort(BY_TIME.reversed());
    for (BlockedThread block : sorted) {
      addRows(block, section);
    }
    return section;
  }

  private static String times(long count) {
    return String.format(Locale.ROOT, count == 1 ? "%,d time" : "%,d times", count);
  }

  private String threshold() {
    long stated = recording.figures().get(Counter.BLOCKED_THRESHOLD);
    return stated > 0 ? " for " + Timespans.format(stated) + " or longer" : "";
  }

  private String idle() {
    return idleCount == 0
        ? ""
        : "; " + times(idleCount) + ", " + Times.seconds(idleNanos) + " in all, it was idle";
  }

  private String unseen() {
    long unseen = recording.figures().get(Counter.BLOCKED_UNSEEN);
    return unseen == 0
        ? ""
        : String.format(Locale.ROOT, " %,d more ended before their stack was read.", unseen);
  }

  private void take(BlockedThread block) {
    Key key = new Key(block.session().uuid(), block.thread().osThreadId());
    BlockedThread before = open.remove(key);
    boolean isSame =
        before != null
            && Duration.between(before.start(), block.start()).abs().compareTo(SAME_START) < 0;
    if (before != null && !isSame) {
      add(before); // its end is in no chunk
    }
    if (!block.isOver()) {
      open.put(key, isSame && before.nanos() > block.nanos() ? before : block);
      return;
    }
    add(block);
  }

  private void add(BlockedThread block) {
    if (IdleKind.of(block.state(), block.frames()) != null) {
      idleCount++;
      idleNanos += block.nanos();
      return;
    }
    count++;
    nanos += block.nanos();
    longest.add(block);
    if (longest.size() > most) {
      longest.poll();
    }
  }

  private static String waker(BlockedThread block) {
    Waker waker = block.waker();
    String who =
        waker.thread() != null
            ? ShortNames.cut(waker.thread().text(), MAX_THREAD)
            : waker.pid() == Blocked.WOKEN_BY_INTERRUPT
                ? "an interrupt"
                : waker.pid() == block.session().pid()
                    ? "a thread of its own process"
                    : "process " + waker.pid();
    return block.isOver()
        ? who
            + ", ran "
            + String.format(Locale.ROOT, "%.1f ms", waker.delayNanos() / 1e6)
            + " later"
        : who;
  }

  private static void addRows(BlockedThread block, Section section) {
    section.rows.add(
        List.of(
            (block.isOver() ? "" : ">") + Times.seconds(block.nanos()),
            ShortNames.cut(block.thread().text(), MAX_THREAD)
                + ", "
                + block.state()
                + ", at "
                + block.start().truncatedTo(ChronoUnit.MILLIS)));
    if (block.waker() != null) {
      section.rows.add(List.of("", "  woken by " + waker(block)));
    }
    String place = WaitSums.place(block.frames());
    String java = "";
    String inner = "";
    for (SampledFrame frame : block.frames()) {
      inner = FrameText.of(frame).text();
      java = Place.isJava(frame) ? inner : java;
    }
    section.rows.add(List.of("", "  " + place));
    if (!java.isEmpty() && !java.equals(place)) {
      section.rows.add(List.of("", "    " + java));
    }
    if (!inner.isEmpty() && !inner.equals(java) && !inner.equals(place)) {
      section.rows.add(List.of("", "    " + inner));
    }
  }
}
