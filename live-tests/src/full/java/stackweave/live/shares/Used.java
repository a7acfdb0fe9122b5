package stackweave.live.shares;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** What threads say that they have used. */
final class Used {
  /** How far the clocks of JFR and of the kernel may be apart. */
  private static final long TOLERANCE_NANOS = 1_000_000;

  /** Of a thread, and the samples of it. */
  static final class Life {
    final String kind;
    final long ended;
    final long nanos;
    long samples;
    long weight;

    Life(String kind, long ended, long nanos) {
      this.kind = kind;
      this.ended = ended;
      this.nanos = nanos;
    }
  }

  /** By the kernel's numbers, which come again, and by the time of their start. */
  private final Map<Integer, NavigableMap<Long, Life>> lives = new HashMap<>();

  private final List<Life> all = new ArrayList<>();
  private final long zero;
  private final long begin;
  private final long end;

  /** What the whole process has used without the drain thread, in ns. */
  final long process;

  private Used(List<String> lines) {
    String[] whole = lines.get(0).split("\t");
    zero = Long.parseLong(whole[0]);
    begin = Long.parseLong(whole[1]);
    end = Long.parseLong(whole[2]);
    process = Long.parseLong(whole[3]);
    for (String line : lines.subList(1, lines.size())) {
      String[] parts = line.split("\t");
      Life life = new Life(parts[0], Long.parseLong(parts[3]), Long.parseLong(parts[4]));
      all.add(life);
      lives
          .computeIfAbsent(Integer.valueOf(parts[1]), tid -> new TreeMap<>())
          .put(Long.parseLong(parts[2]), life);
    }
  }

  static Used read(Path file) throws IOException {
    return new Used(Files.readAllLines(file));
  }

  List<Life> all() {
    return all;
  }

  /** Whether a time of the epoch lies in the time of {@link #process}. */
  boolean isInTime(long epochNanos) {
    long time = epochNanos - zero;
    return time >= begin && time <= end;
  }

  /** Who had that number then; null if none of them. */
  Life at(long tid, long epochNanos) {
    long time = epochNanos - zero;
    NavigableMap<Long, Life> of = lives.get((int) tid);
    var latest = of == null ? null : of.floorEntry(time + TOLERANCE_NANOS);
    return latest == null || latest.getValue().ended < time - TOLERANCE_NANOS
        ? null
        : latest.getValue();
  }
}
