package stackweave.agent.feature.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is held open, and how much of it. */
class HeldFilesTest {
  @TempDir Path directory;

  /** The number does not matter here: {@code LoadsIT} reads files by it. */
  private final HeldFiles files = new HeldFiles(descriptor -> 7);

  private Path file(String name, long length) throws Exception {
    Path path = directory.resolve(name);
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(length);
    }
    return path;
  }

  @Test
  void noMoreFilesThanTheLimit() throws Exception {
    String name = file("lib.so", 10).toString();
    List<HeldFile> held = new ArrayList<>();
    for (int i = 0; i < HeldFiles.MAX_FILES; i++) {
      held.add(files.open(name));
      assertNotNull(held.get(i));
    }
    assertNull(files.open(name));
    files.close(held.get(5));
    held.set(5, files.open(name));
    assertNotNull(held.get(5));
    assertNull(files.open(name));
    held.forEach(files::close);
    assertEquals(0, files.count());
  }

  @Test
  void noMoreBytesThanTheLimit() throws Exception {
    String large = file("large.so", HeldFiles.MAX_BYTES - 10).toString();
    String small = file("small.so", 11).toString();
    HeldFile held = files.open(large);
    assertEquals(Path.of("/proc/self/fd/7"), held.path());
    assertNull(files.open(small));
    files.close(held);
    HeldFile other = files.open(small);
    assertNotNull(other);
    assertNull(files.open(large));
    files.close(other);
    assertEquals(0, files.count());
  }

  @Test
  void onlyFilesThatMayVanish() throws Exception {
    assertNull(files.open("libz.so.1"));
    assertNull(files.open(directory.toString()));
    assertNull(files.open("/dev/null"));
    assertNull(files.open(directory.resolve("none.so").toString()));
    assertNull(files.open(System.getProperty("java.home") + "/lib/libjava.so"));
    Files.createFile(directory.resolve("empty.so"));
    assertNull(files.open(directory.resolve("empty.so").toString()));
    files.close(null);
    assertEquals(0, files.count());
  }
}
