package stackweave.agent.decode.name;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.proc.ProcessFiles;
import stackweave.testing.Commands;

/** Which files that engines have written are read. */
class JitFilesTest {
  private static final JitFiles FILES = new JitFiles(SampledProcess.OWN, ProcessFiles.OWN);

  @TempDir Path directory;

  private Path file(String name) throws IOException {
    return Files.writeString(directory.resolve(name), "1000 10 f\n");
  }

  @Test
  void aFileOfOurOwnIsRead() throws IOException {
    Path file = file("map");
    List<Object> identity = FILES.identity(file);
    assertFalse(identity.isEmpty());
    assertArrayEquals(Files.readAllBytes(file), FILES.read(file, identity));
    Files.writeString(file, "more and more");
    assertNotEquals(identity, FILES.identity(file));
    Files.writeString(file, "less");
    assertThrows(IOException.class, () -> FILES.read(file, identity));
  }

  @Test
  void linksPipesAndDirectoriesAreNot() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("link"), file("map"));
    assertEquals(List.of(), FILES.identity(link));
    Path pipe = directory.resolve("pipe");
    Commands.output("mkfifo", pipe.toString());
    assertEquals(List.of(), FILES.identity(pipe));
    assertEquals(List.of(), FILES.identity(directory));
    assertEquals(List.of(), FILES.identity(directory.resolve("none")));
  }

  @Test
  void filesOfOthersAreNot() throws IOException {
    Path file = file("map");
    assumeTrue((int) Files.getAttribute(file, "unix:uid") == 0, "only root may give a file away");
    Files.setAttribute(file, "unix:uid", 12345);
    assertEquals(List.of(), FILES.identity(file));
  }

  @Test
  void filesThatOthersCanExchangeAreNot() throws IOException {
    Path open = Files.createDirectory(directory.resolve("open"));
    Path file = Files.writeString(open.resolve("map"), "1000 10 f\n");
    assertFalse(FILES.identity(file).isEmpty());
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertEquals(List.of(), FILES.identity(file));
    Files.setAttribute(open, "unix:mode", 01777);
    assertFalse(FILES.identity(file).isEmpty(), "sticky, as /tmp is");
  }

  @Test
  void largeFilesAreNot() throws IOException {
    Path file = file("map");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength(JitFiles.MAX_BYTES);
      assertFalse(FILES.identity(file).isEmpty());
      large.setLength(JitFiles.MAX_BYTES + 1L);
      assertEquals(List.of(), FILES.identity(file));
    }
  }
}
