package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * Stacks that stop in assembly which nothing describes are kept, and come out of the file as they
 * went in.
 */
class RecordFailuresIT {
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void failuresAreKeptAndReplayed(Jdk jdk) throws IOException {
    // On a busy machine the second that the application runs may be over before a stack was looked
    // at.
    List<Path> files = Enough.of(1, () -> failures(agent(jdk, "failures")));
    assertFalse(files.isEmpty());
    for (Path file : files) {
      assertEquals("rw-------", permissions(file));
      List<String> frames = replay(jdk, file.toString());
      assertEquals("end: no unwind information for pc", frames.get(frames.size() - 1));
      assertTrue(frames.get(frames.size() - 2).matches("native +lab_opaque.*"), frames::toString);
      List<String> contents = replay(jdk, "--contents", file.toString());
      int recorded = contents.indexOf("frames when recorded:");
      assertEquals(
          frames,
          contents.subList(recorded + 1, recorded + 1 + frames.size()).stream()
              .map(String::strip)
              .toList());
    }
  }

  private static List<Path> failures(ForkedJvm jvm) {
    assertEquals(List.of(), ended(jvm).errLines());
    Path directory = jvm.directory().resolve("failures");
    try (Stream<Path> list = Files.list(directory)) {
      assertEquals("rwx------", permissions(directory));
      return list.filter(file -> file.toString().contains("no-unwind-information")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ForkedJvm agent(Jdk jdk, String directory) {
    String options = "=interval=1ms,record-failures=" + directory;
    return Jvms.on(jdk).options("-javaagent:" + ForkedJvm.AGENT + options).recording();
  }

  static Ended ended(ForkedJvm jvm) {
    return jvm.run("stackweave.live.recordings.OpaqueApp").successfully();
  }

  private static List<String> replay(Jdk jdk, String... arguments) {
    return Jvms.commandLine(
            jdk, Stream.concat(Stream.of("replay"), Stream.of(arguments)).toArray(String[]::new))
        .successfully()
        .outLines();
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
