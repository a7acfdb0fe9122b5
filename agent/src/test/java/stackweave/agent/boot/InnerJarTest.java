package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Agent jars that are damaged. */
class InnerJarTest {
  private static final String INDEX = "inner.index";
  private static final int HEADER = 30;

  @TempDir private Path directory;

  @Test
  void aJarThatCannotBeOpenedIsClosed() throws Exception {
    Path jar = directory.resolve("damaged.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      zip.putNextEntry(new ZipEntry(INDEX));
      zip.write(new byte[1_000]);
      zip.closeEntry();
      byte[] inner = new byte[100];
      CRC32 crc = new CRC32();
      crc.update(inner);
      ZipEntry entry = new ZipEntry("inner.jar");
      entry.setMethod(ZipEntry.STORED);
      entry.setSize(inner.length);
      entry.setCrc(crc.getValue());
      zip.putNextEntry(entry);
      zip.write(inner);
      zip.closeEntry();
    }
    byte[] bytes = Files.readAllBytes(jar);
    int data = HEADER + INDEX.length();
    Arrays.fill(bytes, data, data + 4, (byte) 0xFF);
    Files.write(jar, bytes);
    assertThrows(ZipException.class, () -> InnerJar.open(jar.toFile()));
    assertFalse(isOpen(jar));
  }

  private static boolean isOpen(Path file) throws IOException {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        if (Files.isSymbolicLink(descriptor)
            && Files.readSymbolicLink(descriptor).equals(file.toRealPath())) {
          return true;
        }
      }
    }
    return false;
  }
}
