package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.ConstantPools;
import stackweave.jfr.chunk.EventWalk;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.Chunks;
import stackweave.jfr.read.FirstSchemaRecording;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.weave.format.FileIds;
import stackweave.testing.Enough;
import stackweave.testing.Jdk;

/** Woven recordings of the oldest and the newest JDK, read by both. */
@Order(1)
class RecordingMergeIT {
  private static final int SAMPLES = 400;
  private static final int CHUNKS = 3;

  private static final int MANY_CHUNKS = 6;

  @TempDir private static Path recorded;
  @TempDir private Path directory;

  private static final Set<Path> RECORDINGS = new HashSet<>();

  /** Each is made once: what it is made of is its name. */
  private static Path recording(Jdk jdk, int seed, int chunks, String flags) throws Exception {
    String name = "jdk" + jdk.feature() + "-" + seed + "-" + chunks + flags + ".jfr";
    Path file = recorded.resolve(name);
    if (RECORDINGS.add(file)) {
      Programs.Outcome outcome =
          Programs.java(
              jdk,
              List.of(),
              MixedProgram.class,
              List.of(
                  file.toString(),
                  Integer.toString(seed),
                  Integer.toString(chunks),
                  Integer.toString(SAMPLES),
                  flags));
      assertEquals(0, outcome.exit(), outcome.output());
    }
    return file;
  }

  private static Path recording(Jdk jdk, int seed) throws Exception {
    return recording(jdk, seed, CHUNKS, "");
  }

  static MergeReport merge(Path out, MergeOptions options, Path... recordings) throws Exception {
    try (OutputStream to = Files.newOutputStream(out)) {
      RecordingMerge merge = RecordingMerge.of(List.of(recordings), options, ReadingProgress.NONE);
      assertEquals(List.of(), merge.losses());
      return merge.writeTo(to);
    }
  }

  private Path merged(MergeOptions options, Path... recordings) throws Exception {
    Path out = directory.resolve("merged" + System.nanoTime() + ".jfr");
    merge(out, options, recordings);
    return out;
  }

  /** Samples, and all other events, of each recording, as a JDK reads them. */
  private List<List<List<String>>> read(Jdk jdk, Path... recordings) throws Exception {
    return TraceText.read(jdk, directory, List.of(recordings));
  }

  static List<String> withoutTime(List<String> lines) {
    List<String> without =
        new ArrayList<>(lines.stream().map(line -> line.substring(line.indexOf(' '))).toList());
    Collections.sort(without);
    return without;
  }

  private static List<ChunkHeader> headers(Path recording) throws Exception {
    return ChunkList.scan(recording).chunks();
  }

  static List<String> without(List<String> lines, List<String> own) {
    Set<String> jdks = Set.copyOf(own);
    return lines.stream().filter(line -> !jdks.contains(line)).toList();
  }

  // ---- stacks

  /** Of each chunk by itself, so that the clock is its own. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void everySampleIsWhatOurReaderHas(Jdk jdk) throws Exception {
    Path recording = recording(jdk, 0, CHUNKS, "");
    Path woven = merged(new MergeOptions(false, false, false, false), recording);
    // Waiting is in both, and in no event of JFR's.
    long waiting = SampledRecording.open(recording).waitingSamples();
    assertTrue(waiting > CHUNKS * SAMPLES / 4, "samples of waiting: " + waiting);
    assertEquals(waiting, SampledRecording.open(woven).waitingSamples());
    assertEquals(CHUNKS * SAMPLES, comparedByChunk(recording, woven));
  }

  @Test
  void recordingsOfTheFirstSchemaAreWoven() throws Exception {
    Path recording = FirstSchemaRecording.in(directory);
    Path woven = merged(new MergeOptions(false, false, false, false), recording);
    assertEquals(50, comparedByChunk(recording, woven));
  }

  /** Compares what JDKs read of each chunk with what our reader has; returns how many samples. */
  private long comparedByChunk(Path recording, Path woven) throws Exception {
    List<Path> before = Chunks.extract(recording);
    List<Path> after = Chunks.extract(woven);
    assertEquals(2 * before.size(), after.size());
    List<Path> both = new ArrayList<>(before);
    both.addAll(after);
    long samples = 0;
    for (Jdk reader : Jdk.onEnds().toList()) {
      List<List<List<String>>> read = read(reader, both.toArray(Path[]::new));
      samples = 0;
      for (int i = 0; i < before.size(); i++) {
        List<String> expected = TraceText.expected(before.get(i));
        List<String> found = read.get(before.size() + 2 * i + 1).get(0);
        LiveWeaveIT.assertSame(
            0, expected, found, "chunk " + i + " of " + recording + " by " + reader);
        samples += expected.size();
      }
    }
    for (Path each : both) {
      Files.delete(each);
    }
    return samples;
  }

  /** A file of many chunks: constants go over from one to the next in the JDK's readers. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void everyStackOfAllChunksIsRight(Jdk jdk) throws Exception {
    Path recording = recording(jdk, 0, MANY_CHUNKS, "");
    Path woven = merged(MergeOptions.DEFAULT, recording);
    List<String> expected = withoutTime(TraceText.expected(recording));
    assertEquals(MANY_CHUNKS * SAMPLES, expected.size());
    for (Jdk reader : Jdk.onEnds().toList()) {
      List<List<List<String>>> read = read(reader, recording, woven);
      List<String> found = withoutTime(read.get(1).get(0));
      List<String> own = withoutTime(read.get(0).get(0));
      assertEquals(expected, without(found, own), jdk + " by " + reader);
      assertEquals(read.get(0).get(1), read.get(1).get(1));
    }
  }

  /** Other events keep their own stacks, texts and classes, with samples of both JVMs. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void twoJvmsInOneFile(Jdk jdk) throws Exception {
    Path one = recording(jdk, 0);
    Path other = recording(jdk, 1);
    Path both = directory.resolve("both.jfr");
    MergeReport report = merge(both, MergeOptions.DEFAULT, other, one);
    assertEquals(2, report.jvms());
    assertEquals(2L * CHUNKS * SAMPLES, report.samples());
    Map<Jdk, List<String>> othersOfBoth = new HashMap<>();
    for (Jdk reader : Jdk.onEnds().toList()) {
      List<List<List<String>>> read = read(reader, one, other, both);
      List<List<String>> ofOne = read.get(0);
      List<List<String>> ofOther = read.get(1);
      List<List<String>> ofBoth = read.get(2);
      othersOfBoth.put(reader, ofBoth.get(1));
      List<String> others = new ArrayList<>(ofOne.get(1));
      others.addAll(ofOther.get(1));
      Collections.sort(others);
      assertTrue(others.stream().anyMatch(line -> line.contains("the other JVM's text")));
      assertTrue(others.stream().anyMatch(line -> line.contains("Other.deeper(int, int)")));
      assertEquals(others, ofBoth.get(1), jdk + " by " + reader);

      List<String> expected = new ArrayList<>(TraceText.expected(one));
      expected.addAll(TraceText.expected(other));
      List<String> own = new ArrayList<>(withoutTime(ofOne.get(0)));
      own.addAll(withoutTime(ofOther.get(0)));
      assertEquals(withoutTime(expected), without(withoutTime(ofBoth.get(0)), own));
    }
    // The test can fail: without the chunk between them, one has the other's types and constants.
    byte[] bytes = Files.readAllBytes(both);
    ByteArrayOutputStream without = new ByteArrayOutputStream();
    int separators = 0;
    for (ChunkHeader header : headers(both)) {
      if (header.size() > 1_000) {
        without.write(bytes, (int) header.position(), (int) header.size());
      } else {
        separators++;
      }
    }
    assertEquals(1, separators);
    Path bare = Files.write(directory.resolve("bare.jfr"), without.toByteArray());
    boolean isSeen = false;
    for (Jdk reader : Jdk.onEnds().toList()) {
      Programs.Outcome outcome =
          Programs.java(
              reader,
              List.of(),
              TraceText.class,
              List.of(
                  bare.toString(),
                  directory.resolve("s").toString(),
                  directory.resolve("o").toString()));
      isSeen |=
          outcome.exit() != 0
              || !TraceText.lines(directory.resolve("o")).equals(othersOfBoth.get(reader));
    }
    // Seldom the two JVMs gave all their types and constants the same numbers.
    assumeTrue(isSeen, "no reader needs the chunk between these two");
  }

  // ---- bytes

  /** What JFR wrote stays, but types of its samples; behind each chunk is one of ours. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void everyByteStays(Jdk jdk) throws Exception {
    Path recording = recording(jdk, 0);
    byte[] before = Files.readAllBytes(recording);
    for (boolean keeps : new boolean[] {true, false}) {
      Path woven = merged(new MergeOptions(false, keeps, false, false), recording);
      byte[] after = Files.readAllBytes(woven);
      List<ChunkHeader> was = headers(recording);
      List<ChunkHeader> is = headers(woven);
      assertEquals(2 * was.size(), is.size());
      int changed = 0;
      for (int i = 0; i < was.size(); i++) {
        int from = (int) was.get(i).position();
        int to = (int) is.get(2 * i).position();
        for (int at = 0; at < was.get(i).size(); at++) {
          if (before[from + at] != after[to + at]) {
            changed++;
          }
        }
        assertEquals(was.get(i).size(), is.get(2 * i).size());
      }
      assertEquals(keeps, changed == 0, changed + " bytes");
    }
    assertArrayEquals(before, Files.readAllBytes(recording));
  }

  /** With the checkpoint first, {@code jfr scrub} keeps samples and drops their stacks. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void eventsComeBeforeTheirCheckpoint(Jdk jdk) throws Exception {
    Path recording = recording(jdk, 0);
    Path woven = merged(MergeOptions.DEFAULT, recording);
    List<ChunkHeader> is = headers(woven);
    try (ChunkSource source = new ChunkSource(woven)) {
      for (int i = 1; i < is.size(); i += 2) {
        long sample = source.metadata(is.get(i)).idOf("jdk.ExecutionSample");
        EventWalk walk = new EventWalk(source, is.get(i));
        List<Long> types = new ArrayList<>();
        while (walk.next()) {
          types.add(walk.type());
        }
        int events = Collections.frequency(types, sample);
        assertTrue(events > 0 && types.size() > events, types.toString());
        assertEquals(Collections.nCopies(events, sample), types.subList(0, events));
        assertEquals(List.of(1L, 1L, 0L), types.subList(events, types.size()));
      }
    }
  }

  // ---- ids, names, types

  /** A key means one thing in the whole file, and is none that JFR uses. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void keysAreOursAloneAndMeanOneThing(Jdk jdk) throws Exception {
    Path one = recording(jdk, 0);
    Path other = recording(jdk, 1);
    Path woven = merged(MergeOptions.DEFAULT, one, other);
    Map<String, long[]> ours = new TreeMap<>();
    Map<String, Map<Long, Integer>> chunkOfKey = new TreeMap<>();
    List<ChunkHeader> headers = headers(woven);
    try (ChunkSource source = new ChunkSource(woven)) {
      for (int i = 0; i < headers.size(); i++) {
        int chunk = i;
        ConstantPools.read(
            source,
            headers.get(i),
            (type, key, input) -> {
              String name = type.name();
              if (isOurs(name, key)) {
                long[] range = ours.computeIfAbsent(name, n -> new long[] {key, key});
                range[0] = Math.min(range[0], key);
                range[1] = Math.max(range[1], key);
                Integer before =
                    chunkOfKey.computeIfAbsent(name, n -> new HashMap<>()).putIfAbsent(key, chunk);
                assertTrue(before == null, name + " " + key + " in two chunks");
              } else if (name.equals("jdk.types.Method") && key != 0) {
                assertTrue(key >= FileIds.END_OF_SHORT_METHODS, "JFR's method " + key);
              }
              if (name.equals("jdk.types.FrameType")) {
                List<String> all =
                    List.of("Interpreted", "JIT compiled", "Inlined", "Native", "C++", "Kernel");
                assertEquals(all.get((int) key), input.readText());
                return true;
              }
              if (name.equals("jdk.types.ThreadState")) {
                assertEquals(key == 5, input.readText().equals("STATE_RUNNABLE"));
                return true;
              }
              return false;
            });
      }
    }
    Map<String, Long> firsts = new LinkedHashMap<>();
    firsts.put("jdk.types.StackTrace", 1L << 30);
    firsts.put("java.lang.Thread", 1L << 30);
    firsts.put("jdk.types.Method", 1L);
    for (Map.Entry<String, Long> first : firsts.entrySet()) {
      assertEquals(first.getValue(), ours.get(first.getKey())[0], first.getKey());
      assertTrue(ours.get(first.getKey())[1] <= Integer.MAX_VALUE);
    }
    for (String name : List.of("java.lang.Class", "jdk.types.Package")) {
      assertTrue(ours.get(name)[0] >= 1L << 34, name);
    }
    // JFR's pass 2^34 after a thousand writings of its constants; eight bytes hold 2^56.
    long[] symbols = ours.get("jdk.types.Symbol");
    assertTrue(symbols[0] >= 1L << 55 && symbols[1] < 1L << 56, "jdk.types.Symbol");
  }

  private static boolean isOurs(String type, long key) {
    return switch (type) {
      case "jdk.types.StackTrace", "java.lang.Thread" -> key >= FileIds.FIRST_TRACE;
      case "jdk.types.Method" -> key > 0 && key < FileIds.END_OF_SHORT_METHODS;
      case "java.lang.Class", "jdk.types.Package" -> key >= FileIds.FIRST_NAME;
      case "jdk.types.Symbol" -> key >= FileIds.FIRST_SYMBOL;
      case "java.lang.String" -> key >= FileIds.FIRST_TEXT;
      default -> false;
    };
  }

  // ---- options

  /** JFR's own samples are left out while samples were taken; by {@code jfr summary}, too. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void jdkSamplesAreLeftOutWhileSampling(Jdk jdk) throws Exception {
    // Half of the CPU time is used in the pause: all of 20 are on one side once in 500,000 runs.
    List<Map<String, Long>> tried = new ArrayList<>();
    Enough.until(
        () -> jdkSamples(tried.get(0)) >= 20,
        () -> tried.add(0, assertDoesNotThrow(() -> summary(jdk, withPause(jdk, tried.size())))));
    Map<String, Long> was = tried.get(0);
    Path recording = withPause(jdk, tried.size() - 1);
    Path kept = directory.resolve("kept.jfr");
    MergeReport keeping = merge(kept, new MergeOptions(false, true, false, false), recording);
    assertEquals(0, keeping.jdkSamples());
    Path woven = directory.resolve("woven.jfr");
    MergeReport report = merge(woven, MergeOptions.DEFAULT, recording);
    Map<String, Long> is = summary(jdk, woven);
    Map<String, Long> all = summary(jdk, kept);
    long own = jdkSamples(was);
    long left = jdkSamples(is) - SAMPLES;
    assertEquals(own - report.jdkSamples(), left);
    assertEquals(own + SAMPLES, jdkSamples(all));
    // The woven chunk has one, too.
    assertEquals(was.get("jdk.Metadata") + report.jdkSamples() + 1, is.get("jdk.Metadata"));
    assertTrue(report.jdkSamples() > 0, report.toString());
    assertTrue(left > 0, "none in the pause, of " + own);
  }

  private static Path withPause(Jdk jdk, int seed) throws Exception {
    return recording(jdk, seed, 1, "pause");
  }

  private static long jdkSamples(Map<String, Long> summary) {
    return summary.get("jdk.ExecutionSample") + summary.get("jdk.NativeMethodSample");
  }

  private static Map<String, Long> summary(Jdk jdk, Path recording) throws Exception {
    Programs.Outcome summary =
        Programs.run(
            List.of(jdk.home().resolve("bin/jfr").toString(), "summary", recording.toString()));
    assertEquals(0, summary.exit(), summary.output());
    Map<String, Long> counts = new HashMap<>();
    for (String line : summary.output().split("\n")) {
      String[] words = line.strip().split("\\s+");
      if (words.length == 3 && words[0].contains(".")) {
        counts.put(words[0], Long.parseLong(words[1]));
      }
    }
    return counts;
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void onlyTheWovenEvents(Jdk jdk) throws Exception {
    Path recording = recording(jdk, 0);
    Path only = directory.resolve("only.jfr");
    merge(only, new MergeOptions(true, false, true, false), recording);
    assertTrue(Files.size(only) < Files.size(merged(MergeOptions.DEFAULT, recording)));
    List<List<String>> found = read(jdk, only).get(0);
    assertEquals(List.of(), found.get(1));
    assertTrue(found.get(0).stream().allMatch(line -> line.contains("STATE_DEFAULT")));
    List<String> plain =
        withoutTime(found.get(0).stream().map(l -> l.replace(" STATE_DEFAULT", "")).toList());
    assertEquals(withoutTime(TraceText.expected(recording)), plain);
    // And again: it is what it was, and beside the recording itself nothing is woven twice.
    Path again = directory.resolve("again.jfr");
    assertEquals(0, merge(again, new MergeOptions(true, false, false, false), only).samples());
    assertArrayEquals(Files.readAllBytes(only), Files.readAllBytes(again));
    MergeReport both = merge(again, MergeOptions.DEFAULT, only, recording);
    assertEquals(CHUNKS, both.woven());
    assertEquals(0, both.samples());
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void eventsByWeight(Jdk jdk) throws Exception {
    Path recording = recording(jdk, 0, 1, "weights");
    MergeReport plain = merge(directory.resolve("plain.jfr"), MergeOptions.DEFAULT, recording);
    // A quarter of the samples has 5 ms of 8: half of |1/4 - 5/8| + |3/4 - 3/8|.
    assertTrue(plain.notes().toString().contains("off by up to 37.5 %"), plain.toString());
    Path weighted = directory.resolve("weighted.jfr");
    MergeReport report = merge(weighted, new MergeOptions(false, false, false, true), recording);
    assertEquals(List.of(), report.notes());
    assertEquals(2 * SAMPLES, report.events());
    Path twice = directory.resolve("twice.jfr");
    merge(twice, new MergeOptions(false, false, false, true), recording);
    assertArrayEquals(Files.readAllBytes(weighted), Files.readAllBytes(twice));
    assertEquals(
        List.of(),
        merge(directory.resolve("even.jfr"), MergeOptions.DEFAULT, recording(jdk, 0)).notes());
  }

  // ---- many inputs

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void whatIsWovenIsNotWovenAgain(Jdk jdk) throws Exception {
    Path woven = merged(MergeOptions.DEFAULT, recording(jdk, 0));
    Path again = directory.resolve("again.jfr");
    MergeReport report = merge(again, MergeOptions.DEFAULT, woven);
    assertEquals(CHUNKS, report.woven());
    assertEquals(0, report.samples());
    assertArrayEquals(Files.readAllBytes(woven), Files.readAllBytes(again));
  }

  /** Woven by two runs, with the same keys: nothing goes over from one to the other. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void wovenByTwoRuns(Jdk jdk) throws Exception {
    Path recording = recording(jdk, 0, MANY_CHUNKS, "");
    List<Path> chunks = Chunks.extract(recording);
    Path first = merged(MergeOptions.DEFAULT, chunks.get(0), chunks.get(1));
    Path second = merged(MergeOptions.DEFAULT, chunks.get(2), chunks.get(5));
    Path all = merged(MergeOptions.DEFAULT, chunks.get(3), second, first, chunks.get(4));
    Path twice = merged(MergeOptions.DEFAULT, all);
    assertArrayEquals(Files.readAllBytes(all), Files.readAllBytes(twice));
    List<List<List<String>>> read = read(jdk, recording, all);
    assertEquals(
        withoutTime(TraceText.expected(recording)),
        without(withoutTime(read.get(1).get(0)), withoutTime(read.get(0).get(0))));
    for (Path chunk : chunks) {
      Files.delete(chunk);
    }
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void chunksOfSeveralInputsAreTakenOnceInOrder(Jdk jdk) throws Exception {
    Path one = recording(jdk, 0);
    Path other = recording(jdk, 1);
    List<Path> chunks = Chunks.extract(one);
    // The last chunk as it was in the middle: an open one, up to some earlier flush.
    Path all = directory.resolve("all.jfr");
    MergeReport report =
        merge(all, MergeOptions.DEFAULT, chunks.get(2), other, chunks.get(1), one, other);
    assertEquals(2 + CHUNKS, report.duplicates());
    assertEquals(2L * CHUNKS * SAMPLES, report.samples());
    assertArrayEquals(
        Files.readAllBytes(merged(MergeOptions.DEFAULT, one, other)), Files.readAllBytes(all));
    List<Long> starts =
        headers(all).stream()
            .filter(header -> header.size() > 1_000)
            .map(ChunkHeader::startNanos)
            .toList();
    assertEquals(starts.stream().sorted().toList(), starts);
    for (Path chunk : chunks) {
      Files.delete(chunk);
    }
  }

  /** JFR's readers can't read them from one file, whatever stands between. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void differentReleasesAreRefused(Jdk jdk) throws Exception {
    for (Jdk other : Jdk.onEnds().toList()) {
      if (other.feature() == jdk.feature()) {
        continue;
      }
      Path one = recording(jdk, 0);
      Path two = recording(other, 0);
      Path out = directory.resolve("out.jfr");
      RecordingException e =
          assertThrows(RecordingException.class, () -> merge(out, MergeOptions.DEFAULT, one, two));
      assertTrue(e.getMessage().contains("different releases of the JDK"), e.getMessage());
      assertFalse(e.getMessage().contains("\n"));
    }
  }

  // ---- what is odd

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void withoutSamples(Jdk jdk) throws Exception {
    Path file = directory.resolve("none.jfr");
    Programs.Outcome outcome =
        Programs.java(
            jdk,
            List.of("-XX:StartFlightRecording:filename=" + file, "-Xlog:jfr+startup=off"),
            Nothing.class,
            List.of());
    assertEquals(0, outcome.exit(), outcome.output());
    Path out = directory.resolve("out.jfr");
    MergeReport report = merge(out, MergeOptions.DEFAULT, file);
    assertEquals(0, report.samples());
    assertEquals(0, report.jdkSamples());
    assertArrayEquals(Files.readAllBytes(file), Files.readAllBytes(out));
    assertThrows(
        RecordingException.class,
        () -> merge(out, new MergeOptions(true, false, false, false), file));
  }

  /** A program without an agent. */
  static final class Nothing {
    private Nothing() {}

    public static void main(String[] arguments) {
      System.out.print("");
    }
  }

  /** The open chunk of a killed JVM is finished in the output. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void killedJvm(Jdk jdk) throws Exception {
    Path repository = Files.createDirectory(directory.resolve("repository"));
    Programs.Outcome outcome =
        Programs.java(
            jdk,
            List.of("-XX:FlightRecorderOptions:repository=" + repository),
            MixedProgram.class,
            List.of(directory.resolve("never.jfr").toString(), "0", "2", "300", "die"));
    assertEquals(9, outcome.exit(), outcome.output());
    List<Path> files;
    try (Stream<Path> all = Files.walk(repository)) {
      files = all.filter(file -> file.toString().endsWith(".jfr")).sorted().toList();
    }
    assertEquals(2, files.size(), files.toString());
    Path whole = directory.resolve("killed.jfr");
    for (Path file : files) {
      Files.write(
          whole, Files.readAllBytes(file), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    Path out = directory.resolve("out.jfr");
    try (OutputStream to = Files.newOutputStream(out)) {
      RecordingMerge merge = RecordingMerge.of(files, MergeOptions.DEFAULT, ReadingProgress.NONE);
      assertTrue(merge.losses().toString().contains("cut short"), merge.losses().toString());
      assertEquals(600, merge.writeTo(to).samples());
    }
    assertTrue(headers(out).stream().allMatch(ChunkHeader::isFinished));
    List<String> expected = TraceText.expected(whole);
    assertEquals(600, expected.size());
    List<String> all = new ArrayList<>(withoutTime(read(jdk, out).get(0).get(0)));
    for (String line : withoutTime(expected)) {
      assertTrue(all.remove(line), line);
    }
    assertTrue(all.size() < 100, "JFR's own: " + all.size());
  }

  /** An event of a type that no JDK known has is refused in a line. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void anUnknownLayoutIsRefused(Jdk jdk) throws Exception {
    byte[] bytes = Files.readAllBytes(recording(jdk, 0));
    // The field is named otherwise in the metadata's table of strings.
    byte[] name = "bytecodeIndex".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    int changed = 0;
    for (int at = 0; at + name.length < bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + name.length, name, 0, name.length)) {
        bytes[at] = 'B';
        changed++;
      }
    }
    assertTrue(changed >= CHUNKS);
    Path file = Files.write(directory.resolve("odd.jfr"), bytes);
    Path out = directory.resolve("out.jfr");
    RecordingException e =
        assertThrows(RecordingException.class, () -> merge(out, MergeOptions.DEFAULT, file));
    assertTrue(
        e.getMessage().endsWith("its type jdk.types.StackFrame has no field bytecodeIndex"),
        e.getMessage());
    assertTrue(SampledRecording.open(file).samples() > 0);
  }
}
