package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Parked stacks against the JDK's own answer, on every JDK from 17 on that this machine has. */
class ParkedStacksTest {
  private static final List<List<String>> FLAGS =
      List.of(
          List.of(),
          List.of("-Xint"),
          List.of("-XX:TieredStopAtLevel=1"),
          List.of("-XX:-TieredCompilation", "-XX:+PreserveFramePointer"),
          List.of("-XX:+UseSerialGC", "-XX:-UseCompressedOops"));

  @TestFactory
  Stream<DynamicTest> sameAsThreadGetStackTrace() throws IOException {
    return Jdks.all().stream()
        .flatMap(
            jdk ->
                FLAGS.stream()
                    .map(
                        flags ->
                            DynamicTest.dynamicTest(
                                jdk.getFileName() + " " + flags, () -> run(jdk, flags))));
  }

  private static void run(Path jdk, List<String> flags) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(jdk.resolve("bin/java").toString());
    command.addAll(flags);
    command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+ShowHiddenFrames"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ParkedStacks.class.getName());
    Path output = Files.createTempFile("parked-stacks", ".txt");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      boolean ended = process.waitFor(120, TimeUnit.SECONDS);
      if (!ended) {
        process.destroyForcibly().waitFor();
      }
      assertEquals(0, ended ? process.exitValue() : -1, () -> text(output));
    } finally {
      Files.delete(output);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  /** The JDKs of this machine. */
  static final class Jdks {
    private static final int OLDEST = 17;

    private Jdks() {}

    /** One of each feature version from 17 on: the one that runs this, and those of the system. */
    static List<Path> all() throws IOException {
      TreeMap<Integer, Path> byVersion = new TreeMap<>();
      Path installed = Path.of("/usr/lib/jvm");
      if (Files.isDirectory(installed)) {
        try (Stream<Path> homes = Files.list(installed)) {
          for (Path home : homes.filter(Jdks::isJdk).sorted().toList()) {
            byVersion.put(version(home), home);
          }
        }
      }
      byVersion.put(Runtime.version().feature(), Path.of(System.getProperty("java.home")));
      byVersion.headMap(OLDEST).clear();
      return List.copyOf(byVersion.values());
    }

    private static boolean isJdk(Path home) {
      return Files.isExecutable(home.resolve("bin/java"))
          && Files.isReadable(home.resolve("release"));
    }

    private static int version(Path home) {
      try (Stream<String> lines = Files.lines(home.resolve("release"))) {
        String line = lines.filter(l -> l.startsWith("JAVA_VERSION=")).findFirst().orElse("=\"0\"");
        return Integer.parseInt(line.replaceAll("[^\"]*\"(1\\.)?(\\d+).*", "$2"));
      } catch (IOException e) {
        return 0;
      }
    }
  }
}
