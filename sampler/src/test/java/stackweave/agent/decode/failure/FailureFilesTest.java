package stackweave.agent.decode.failure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.message.Messages;
import stackweave.unwind.StopReason;

/** Which failures get a file, and into which directories files go. */
class FailureFilesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final byte[] CONTENT = {1, 2, 3};

  @TempDir Path parent;
  private final List<String> said = new ArrayList<>();

  private FailureFiles files(Path directory) {
    return new FailureFiles(directory.toString(), new Messages(said::add));
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> list = Files.list(directory)) {
      return list.toList();
    }
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void directoryAndFilesAreTheUsersAlone() throws IOException {
    Path directory = parent.resolve("new");
    FailureFiles files = files(directory);
    assertTrue(files.isUsable());
    assertEquals("rwx------", permissions(directory));
    assertTrue(files.wants(StopReason.BAD_STUB_FRAME, 1, 0));
    files.write(StopReason.BAD_STUB_FRAME, 1, CONTENT);
    Path file = list(directory).get(0);
    assertEquals("rw-------", permissions(file));
    assertArrayEquals(CONTENT, Files.readAllBytes(file));
    assertTrue(file.toString().endsWith("-bad-stub-frame.replay"), file.toString());
    assertEquals(List.of(), said);
  }

  @Test
  void aFileThatIsThereOrALinkIsNeverWrittenTo() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("d"));
    Path victim = Files.createFile(parent.resolve("victim"));
    FailureFiles files = files(directory);
    assertTrue(files.isUsable());
    assertTrue(files.wants(StopReason.NO_RULE, 1, 0));
    Path planted = files.file(StopReason.NO_RULE, 1);
    Files.createSymbolicLink(planted, victim);
    files.write(planted, CONTENT);
    assertEquals(0, Files.size(victim));
    assertTrue(said.get(0).contains("took no file"), said.toString());
    assertFalse(files.wants(StopReason.NO_RULE, 2, 5 * SECOND));
  }

  @Test
  void directoriesThatOthersHaveAHandInAreRefused() throws IOException {
    Path shared = Files.createDirectory(parent.resolve("shared"));
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused(shared, "can be written by others");
    Path own = Files.createDirectory(parent.resolve("own"));
    assertRefused(Files.createSymbolicLink(parent.resolve("link"), own), "is no directory");
    assertRefused(Files.createFile(parent.resolve("file")), "is no directory");
    assertRefused(parent.resolve("no/such"), "can't be used");
  }

  @Test
  void anotherUsersDirectoryIsRefused() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("theirs"));
    try {
      Files.setAttribute(directory, "unix:uid", 12_345);
    } catch (IOException e) {
      assumeTrue(false, "needs root");
    }
    assertRefused(directory, "belongs to another user");
  }

  private void assertRefused(Path directory, String why) {
    said.clear();
    FailureFiles files = files(directory);
    assertFalse(files.isUsable());
    assertFalse(files.isUsable());
    assertFalse(files.wants(StopReason.NO_RULE, 1, 0));
    assertEquals(1, said.size());
    assertTrue(said.get(0).contains(why), said.toString());
    assertTrue(said.get(0).contains("the application runs on unharmed"), said.toString());
  }

  @Test
  void oneFileForEachPlaceAndOneASecond() {
    FailureFiles files = files(parent.resolve("d"));
    assertTrue(files.isUsable());
    assertTrue(files.wants(StopReason.NO_RULE, 1, 0));
    assertFalse(files.wants(StopReason.NO_RULE, 2, SECOND / 2));
    assertFalse(files.wants(StopReason.NO_RULE, 1, 2 * SECOND));
    assertTrue(files.wants(StopReason.NO_RULE, 2, 2 * SECOND));
  }

  @Test
  void whatALimitExplainsIsNoFailure() {
    FailureFiles files = files(parent.resolve("d"));
    assertTrue(files.isUsable());
    for (StopReason reason :
        List.of(
            StopReason.COMPLETE,
            StopReason.THREAD_ENTRY,
            StopReason.TRUNCATED,
            StopReason.TOO_DEEP,
            StopReason.NO_REGISTERS,
            StopReason.STACK_UNKNOWN)) {
      assertFalse(files.wants(reason, 1, 0));
    }
  }

  @Test
  void thereAreNeverTooManyNorTooLarge() throws IOException {
    Path directory = parent.resolve("d");
    FailureFiles files = files(directory);
    assertTrue(files.isUsable());
    StopReason[] reasons = {
      StopReason.NO_RULE, StopReason.NO_MODULE, StopReason.BAD_COMPILED_FRAME,
      StopReason.UNKNOWN_BLOB, StopReason.BAD_STUB_FRAME, StopReason.BAD_INTERPRETER_FRAME
    };
    int wanted = 0;
    for (int i = 0; i < 600; i++) {
      StopReason reason = reasons[i % reasons.length];
      if (files.wants(reason, i, i * 2 * SECOND)) {
        wanted++;
        files.write(reason, i, CONTENT);
      }
    }
    assertEquals(FailureFiles.MAX_FILES, wanted);
    assertEquals(FailureFiles.MAX_FILES, list(directory).size());
    // The next JVM finds the directory full.
    FailureFiles next = files(directory);
    assertTrue(next.isUsable());
    assertFalse(next.wants(StopReason.NO_RULE, 1, 0));
  }

  @Test
  void oneReasonLeavesRoomForOthers() {
    FailureFiles files = files(parent.resolve("d"));
    assertTrue(files.isUsable());
    int wanted = 0;
    for (int i = 0; i < 100; i++) {
      wanted += files.wants(StopReason.NO_RULE, i, i * 2 * SECOND) ? 1 : 0;
    }
    assertEquals(FailureFiles.MAX_OF_A_REASON, wanted);
    assertTrue(files.wants(StopReason.NO_MODULE, 1_000, 300 * SECOND));
  }

  @Test
  void bytesAreBounded() throws IOException {
    Path directory = parent.resolve("d");
    FailureFiles files = files(directory);
    assertTrue(files.isUsable());
    byte[] half = new byte[(int) (FailureFiles.MAX_BYTES / 2)];
    for (int i = 0; i < 4; i++) {
      if (files.wants(StopReason.NO_RULE, i, i * 2 * SECOND)) {
        files.write(StopReason.NO_RULE, i, half);
      }
    }
    assertEquals(2, list(directory).size());
  }

  @Test
  void everyDifferentStackGetsOneFileIfAllAreAskedFor() throws IOException {
    Path directory = parent.resolve("d");
    FailureFiles files = new FailureFiles("every:" + directory, new Messages(said::add));
    assertTrue(files.isUsable());
    for (long stackId : new long[] {7, 8, 7, 9}) {
      if (files.wants(StopReason.COMPLETE, stackId, 0)) {
        files.write(StopReason.COMPLETE, stackId, CONTENT);
      }
    }
    List<String> stacks =
        list(directory).stream()
            .map(file -> file.toString().replaceAll(".*-(stack.*)", "$1"))
            .sorted()
            .toList();
    assertEquals(3, stacks.size());
    assertTrue(stacks.get(0).matches("stack7-.*\\.replay"), stacks.toString());
  }
}
