package stackweave.agent.cli.common;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.linux.Descriptor;

/** Temporary files, which have no name until they are kept. */
class OutputTest {
  private static final byte[] BYTES = {1, 2, 3};

  @TempDir Path directory;

  private List<Path> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  /** Writes, as a recording is, by the path. */
  private static void write(Descriptor file) throws IOException {
    Files.write(file.path(), BYTES, StandardOpenOption.WRITE);
    assertArrayEquals(BYTES, Files.readAllBytes(file.path()));
  }

  private void assertKept(Descriptor file) throws IOException {
    assertEquals(List.of(), names());
    Path kept = Output.keep(file, directory);
    file.close();
    assertEquals(List.of(kept), names());
    assertArrayEquals(BYTES, Files.readAllBytes(kept));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)));
  }

  @Test
  void aTemporaryFileHasANameOnlyIfItIsKept() throws IOException {
    Descriptor dropped = Output.temporary(directory);
    write(dropped);
    dropped.close();
    Descriptor file = Output.temporary(directory);
    write(file);
    assertKept(file);
  }

  /** As it is where the file system has no files without a name. */
  @Test
  void aFileWhoseNameWasDeletedIsCopied() throws IOException {
    Path named = Files.createTempFile(directory, "", "");
    Descriptor file = Descriptor.file(named);
    Files.delete(named);
    write(file);
    assertKept(file);
  }

  @Test
  void withoutADirectoryThereIsNone() {
    assertThrows(
        NoSuchFileException.class, () -> Output.temporary(directory.resolve("missing")).close());
  }
}
