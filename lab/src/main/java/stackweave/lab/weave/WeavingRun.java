package stackweave.lab.weave;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;
import stackweave.lab.Built;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/** What one storm left: its files, and how their woven samples compare. Not thread-safe. */
final class WeavingRun {
  /** Reading takes a second for each. */
  private static final int MAX_FILES = 60;

  private static final Pattern RECORDINGS = Pattern.compile("recordings: (\\d+)");

  private final Jdk jdk;
  private final int seconds;
  private final Ended ended;

  /** Of JFR, by when they began, in µs: the woven ones begin a nanosecond later. */
  private final Set<Long> chunks = new HashSet<>();

  private long files;
  private long left;

  /** Of all files: most samples are in several. */
  private long samples;

  private long missing;
  private long wrong;
  private long wrongTimes;

  WeavingRun(Jdk jdk, int seconds, Ended ended) {
    this.jdk = jdk;
    this.seconds = seconds;
    this.ended = ended;
  }

  /**
   * Compares the files' woven samples, as each of these JDKs reads them, with our reader's. Of many
   * files some, from all of the run, and the last, which is the whole recording's.
   */
  void count(List<Path> all, List<Jdk> readers) throws IOException {
    List<Path> recordings = new ArrayList<>();
    int every = Math.max(1, all.size() / MAX_FILES);
    for (int i = all.size() - 1; i >= 0; i -= every) {
      recordings.add(all.get(i));
    }
    left = all.size();
    for (Jdk reader : readers) {
      List<String> arguments = new ArrayList<>();
      for (Path file : recordings) {
        arguments.addAll(List.of(file.toString(), lines(file).toString()));
      }
      ForkedJvm.on(reader, recordings.get(0).getParent())
          .classPath(Built.classes())
          .run(JdkText.class.getName(), arguments.toArray(String[]::new))
          .successfully();
      for (Path file : recordings) {
        List<String> read = Files.readAllLines(lines(file));
        wrongTimes += Long.parseLong(read.get(0));
        compare(expected(file), counts(read.subList(1, read.size())));
      }
    }
    for (Path file : recordings) {
      Files.delete(lines(file));
      samples += expected(file).values().stream().mapToInt(count -> count).sum();
    }
    files = recordings.size();
  }

  private static Path lines(Path file) {
    return Path.of(file + ".lines");
  }

  private Map<String, Integer> expected(Path file) throws IOException {
    try {
      ChunkList.scan(file).chunks().forEach(chunk -> chunks.add(chunk.startNanos() / 1_000));
      return counts(WovenText.expected(file));
    } catch (RecordingException e) {
      throw new IOException(e);
    }
  }

  private void compare(Map<String, Integer> expected, Map<String, Integer> read) {
    Set<String> all = new HashSet<>(expected.keySet());
    all.addAll(read.keySet());
    for (String line : all) {
      int difference = read.getOrDefault(line, 0) - expected.getOrDefault(line, 0);
      wrong += Math.max(0, difference);
      missing += Math.max(0, -difference);
    }
  }

  private static Map<String, Integer> counts(List<String> lines) {
    Map<String, Integer> counts = new HashMap<>();
    lines.forEach(line -> counts.merge(line, 1, Integer::sum));
    return counts;
  }

  /** No sample has another's stack, thread or time, and streams saw no error. */
  boolean isRight() {
    return wrong == 0 && wrongTimes == 0 && errors() == 0 && ofStream("remote", "woven") == 0;
  }

  private long errors() {
    return ofStream("local", "errors") + ofStream("remote", "errors");
  }

  private long ofStream(String stream, String what) {
    String end = ended.out().substring(ended.out().indexOf("streams at the end"));
    Matcher matcher = Pattern.compile("(?s)" + stream + " .*?\\b" + what + "=(\\d+)").matcher(end);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
  }

  private long recordings() {
    Matcher matcher = RECORDINGS.matcher(ended.out());
    return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
  }

  @Override
  public String toString() {
    return "%d files, %d samples, %d missing, %d wrong, %d wrong times; %s"
        .formatted(files, samples, missing, wrong, wrongTimes, ended.out());
  }

  /** A row for each run. */
  static void table(Markdown page, List<WeavingRun> runs) {
    page.table(
        "JDK",
        ">seconds",
        ">recordings started and stopped",
        ">chunks in the files",
        ">files compared",
        ">samples in the files",
        ">with another stack, thread or time",
        ">not woven in a file",
        ">counted as not woven",
        ">events that streams saw",
        ">errors of streams");
    for (WeavingRun run : runs) {
      page.row(
          Integer.toString(run.jdk.feature()),
          Weaving.figure(run.seconds),
          Weaving.figure(run.recordings()),
          Weaving.figure(run.chunks.size()),
          Weaving.figure(run.files) + " of " + Weaving.figure(run.left),
          Weaving.figure(run.samples),
          Weaving.figure(run.wrong + run.wrongTimes),
          Weaving.figure(run.missing),
          Weaving.figure(run.ofStream("local", "unwoven")),
          Weaving.figure(run.ofStream("local", "events") + run.ofStream("remote", "events")),
          Weaving.figure(run.errors()));
    }
  }
}
