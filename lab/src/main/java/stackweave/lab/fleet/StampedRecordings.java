package stackweave.lab.fleet;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.lab.Built;
import stackweave.lab.overhead.WorkJvm;
import stackweave.lab.overhead.app.CompilerApplication;
import stackweave.lab.overhead.app.QueuesApplication;
import stackweave.lab.overhead.app.SearchApplication;
import stackweave.lab.overhead.app.SqlApplication;
import stackweave.samples.Demo;
import stackweave.samples.zoo.JniZoo;
import stackweave.testing.Jdk;

/**
 * A fleet's recordings: real ones of different programs, and copies of these that are of other
 * hosts, JVMs, versions and days. Texts are replaced by others of the same length, so that nothing
 * else of a copy changes. Stateless.
 */
final class StampedRecordings {
  private static final String HOST = "host-0000";
  private static final String VERSION = "2.3.0";
  private static final String LATER_VERSION = "2.3.1";
  private static final int DAYS = 7;

  /** The day from which on hosts have the later version. */
  private static final int LATER = 4;

  /** Where a chunk's header has the time of its begin. */
  private static final int START_AT = 32;

  /** The programs by their services: main class and arguments. */
  private static final Map<String, List<String>> PROGRAMS =
      new TreeMap<>(
          Map.of(
              "orders", List.of(JniZoo.class.getName(), "600"),
              "pricing", List.of(Demo.class.getName(), "600"),
              "reports", application(SqlApplication.class),
              "builds", application(CompilerApplication.class),
              "search", application(SearchApplication.class),
              "queues", application(QueuesApplication.class)));

  private StampedRecordings() {}

  private static List<String> application(Class<?> type) {
    return List.of(WorkJvm.class.getName(), type.getName(), "600s", "0", "0");
  }

  /**
   * Records each program on each JDK with the defaults of {@code record}.
   *
   * @param seconds of each recording
   */
  static void record(List<Jdk> jdks, int seconds, Path directory)
      throws IOException, InterruptedException {
    for (Jdk jdk : jdks) {
      for (Map.Entry<String, List<String>> program : PROGRAMS.entrySet()) {
        Path out = directory.resolve(program.getKey() + "-" + jdk.feature() + ".jfr");
        if (!Files.exists(out)) {
          record(jdk, program.getKey(), program.getValue(), seconds, out);
        }
      }
    }
  }

  private static void record(Jdk jdk, String service, List<String> main, int seconds, Path out)
      throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(
            List.of(
                jdk.java().toString(),
                "-Dservice.name=" + service,
                "-Dservice.version=" + VERSION,
                "-cp",
                Built.classPath()));
    words.addAll(main);
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectInput(Path.of("/dev/null").toFile());
    builder.environment().put("HOSTNAME", HOST);
    Process jvm = builder.start();
    try {
      Thread.sleep(TimeUnit.SECONDS.toMillis(1)); // until it is a JVM
      Process record =
          new ProcessBuilder(
                  jdk.java().toString(),
                  "-jar",
                  Built.agentJar().toString(),
                  "record",
                  "" + jvm.pid(),
                  "--duration=" + seconds + "s",
                  "--output=" + out)
              .inheritIO()
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (record.waitFor() != 0) {
        throw new IOException("no recording of " + service);
      }
    } finally {
      jvm.destroyForcibly().waitFor();
    }
  }

  /**
   * Makes copies, a host each for a week, until there are so many.
   *
   * @return their bytes
   */
  static long copy(Path originals, int count, Path directory)
      throws IOException, RecordingException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(originals, "*.jfr")) {
      all.forEach(files::add);
    }
    files.sort(null);
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      int host = i / DAYS;
      int day = i % DAYS;
      Path original = files.get(host % files.size());
      String name = String.format(Locale.ROOT, "host-%04d", host + 1);
      Path copy = Files.createDirectories(directory.resolve(name)).resolve("day-" + day + ".jfr");
      Files.write(copy, stamped(original, name, day));
      bytes += Files.size(copy);
    }
    return bytes;
  }

  private static byte[] stamped(Path original, String host, int day)
      throws IOException, RecordingException {
    byte[] bytes = Files.readAllBytes(original);
    ByteBuffer all = ByteBuffer.wrap(bytes);
    for (ChunkHeader chunk : ChunkList.scan(original).chunks()) {
      all.putLong(
          (int) chunk.position() + START_AT, chunk.startNanos() + Duration.ofDays(day).toNanos());
    }
    String session = SampledRecording.open(original).sessions().get(0).uuid();
    UUID other = UUID.nameUUIDFromBytes((session + host + day).getBytes(StandardCharsets.UTF_8));
    replace(bytes, session, other.toString());
    replace(bytes, HOST, host);
    if (day >= LATER) {
      replace(bytes, "service.version=" + VERSION, "service.version=" + LATER_VERSION);
      replace(bytes, VERSION, LATER_VERSION);
    }
    return bytes;
  }

  private static void replace(byte[] bytes, String text, String other) {
    byte[] from = text.getBytes(StandardCharsets.UTF_8);
    byte[] to = other.getBytes(StandardCharsets.UTF_8);
    if (from.length != to.length) {
      throw new IllegalArgumentException(text + " and " + other + " differ in length");
    }
    for (int i = 0; i + from.length <= bytes.length; i++) {
      if (bytes[i] == from[0] && Arrays.equals(bytes, i, i + from.length, from, 0, from.length)) {
        System.arraycopy(to, 0, bytes, i, to.length);
      }
    }
  }
}
