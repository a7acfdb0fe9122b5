package stackweave.agent.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.linux.OwnDirectory;
import stackweave.testing.Commands;
import stackweave.testing.Ended;

/** What a command's output may replace, and what a terminal is shown. */
class OutputFileTest {
  @TempDir Path directory;

  private void write(Path file) throws IOException {
    OutputFile.mustBeWritable(file);
    OutputFile.writePrivate(
        file, true, out -> out.write("new".getBytes(StandardCharsets.US_ASCII)));
  }

  private void assertRefused(Path file, String why) throws IOException {
    List<Path> before = list();
    FileSystemException early =
        assertThrows(FileSystemException.class, () -> OutputFile.mustBeWritable(file));
    assertTrue(early.getReason().contains(why), early.getReason());
    FileSystemException late =
        assertThrows(
            FileSystemException.class,
            () -> OutputFile.writePrivate(file, true, out -> out.write(1)));
    assertTrue(late.getReason().contains(why), late.getReason());
    assertEquals(before, list());
  }

  private List<Path> list() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  /** The JDK has ids as ints, and shows them so. */
  @Test
  void usersMayHaveIdsAbove31Bits() throws IOException {
    UserPrincipal user = OutputFile.owner((int) 3_000_000_000L);
    assertEquals("3000000000", OwnDirectory.userName(user));
    Path file = Files.createFile(directory.resolve("rec.jfr"));
    assertEquals(Files.getOwner(file), OutputFile.owner(OwnDirectory.effectiveUid()));
    assumeTrue(OwnDirectory.effectiveUid() == 0, "only root gives files away");
    Files.setAttribute(file, "unix:uid", (int) 3_000_000_000L);
    assertEquals(Files.getOwner(file), user);
    assertRefused(file, "another user (3000000000)");
  }

  @Test
  void aNewFileIsItsOwnersAlone() throws IOException {
    Path file = directory.resolve("rec.jfr");
    write(file);
    assertEquals("new", Files.readString(file));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(List.of(file), list());
  }

  /** What a terminal's Ctrl-C leaves: nothing of an export, and all of a recording. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theUnfinishedFileIsDeletedAtExit(boolean survivesExit) throws Exception {
    Path file = directory.resolve("out");
    Ended ended =
        Commands.run(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            "-cp",
            System.getProperty("java.class.path"),
            ExitsWhileWriting.class.getName(),
            file,
            survivesExit);
    assertEquals(3, ended.exit(), ended.err());
    assertEquals(survivesExit ? 1 : 0, list().size(), list().toString());
    assertTrue(Files.notExists(file));
  }

  /** Ends its JVM in the middle of a file. */
  static final class ExitsWhileWriting {
    private ExitsWhileWriting() {}

    public static void main(String[] arguments) throws IOException {
      OutputFile.writePrivate(
          Path.of(arguments[0]),
          Boolean.parseBoolean(arguments[1]),
          out -> {
            out.write(1);
            System.exit(3);
          });
    }
  }

  @Test
  void aFileIsReplacedWithoutWritingToIt() throws IOException {
    Path file = Files.writeString(directory.resolve("rec.jfr"), "old");
    Path other = Files.createLink(directory.resolve("other"), file);
    write(file);
    assertEquals("new", Files.readString(file));
    assertEquals("old", Files.readString(other), "written through another name");
  }

  @Test
  void whatFailsLeavesAllAsItWas() throws IOException {
    Path file = Files.writeString(directory.resolve("rec.jfr"), "old");
    assertThrows(
        IOException.class,
        () ->
            OutputFile.writePrivate(
                file,
                true,
                out -> {
                  out.write(1);
                  throw new IOException("in the middle");
                }));
    assertEquals("old", Files.readString(file));
    assertEquals(List.of(file), list());
  }

  @Test
  void nothingButARegularFileOfTheCallersIsReplaced() throws Exception {
    Path target = Files.writeString(directory.resolve("target"), "keep");
    assertRefused(Files.createSymbolicLink(directory.resolve("link"), target), "it is a link");
    assertRefused(
        Files.createSymbolicLink(directory.resolve("nowhere"), directory.resolve("none")),
        "it is a link");
    Path fifo = directory.resolve("fifo");
    assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
    assertRefused(fifo, "it is no regular file");
    assertRefused(Files.createDirectory(directory.resolve("directory")), "Is a directory");
    assertEquals("keep", Files.readString(target));
  }

  @Test
  void anotherUsersFileIsKept() throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "only root can give files away");
    Path foreign = Files.writeString(directory.resolve("foreign"), "keep");
    Files.setAttribute(foreign, "unix:uid", 65534);
    assertRefused(foreign, "it belongs to another user");
  }

  /**
   * Whose directory or link is on the way could send it anywhere: to a directory of his at most.
   */
  @Test
  void noOtherUserDecidesWhereItIsWritten() throws IOException {
    Path his = Files.createDirectory(directory.resolve("his"));
    assumeTrue(canGive(his), "only root gives directories away");
    Path mine = Files.createDirectory(directory.resolve("mine"));
    assertRefused(Files.createSymbolicLink(his.resolve("link"), mine).resolve("a"), "another user");
    assertRefused(Files.createDirectory(his.resolve("below")).resolve("a"), "another user");
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("mine"));
    assertTrue(canGive(link));
    assertRefused(link.resolve("a"), "another user");
    assertRefused(directory.resolve("mine/../link/a"), "another user");
    write(his.resolve("a"));
    write(Files.createSymbolicLink(directory.resolve("own"), Path.of("mine/../mine")).resolve("a"));
    assertEquals("new", Files.readString(mine.resolve("a")));
  }

  private static boolean canGive(Path path) {
    try {
      Files.setAttribute(path, "unix:uid", 65534, LinkOption.NOFOLLOW_LINKS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void aTerminalIsShownTextAlone() {
    assertEquals("a?[2Jb\nc?d??e", Plain.lines("a\u001b[2Jb\nc\u009bd\u202e\u007fe"));
    assertEquals("a b? ä€😀", Plain.line("a \r\n  b\t ä€😀"));
  }
}
