package stackweave.live.harm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Loads thousands of libraries, each a file of its own with its own build id. Each uses half a
 * millisecond of CPU time when it is loaded. Needs gcc.
 */
final class LibraryStorm implements AutoCloseable {
  private static final String BUILD_ID = "5745415645000000000000000000000000000000";

  private static final String SOURCE =
      """
      static volatile long sink;
      __attribute__((noinline)) static void storm_work(long n) {
        for (long i = 0; i < n; i++) sink += i;
      }
      int JNI_OnLoad(void *vm, void *reserved) { storm_work(250000); return 0x00010008; }
      """;

  private final Path directory;

  /** In a new directory, which is deleted in the end. */
  LibraryStorm(Path directory) throws IOException {
    this.directory = Files.createDirectory(directory);
  }

  String load(int count) throws IOException, InterruptedException {
    byte[] library = compile();
    int at = indexOf(library, HexFormat.of().parseHex(BUILD_ID));
    Path[] files = new Path[count];
    for (int i = 0; i < count; i++) {
      library[at + 18] = (byte) (i >> 8);
      library[at + 19] = (byte) i;
      files[i] = Files.write(directory.resolve("libstorm-" + i + ".so"), library);
    }
    long start = System.nanoTime();
    for (Path file : files) {
      System.load(file.toAbsolutePath().toString());
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    long loaded =
        Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .filter(line -> line.contains("r-xp") && line.contains("/libstorm-"))
            .count();
    if (loaded != count) {
      throw new IllegalStateException(loaded + " libraries are mapped");
    }
    return String.format(Locale.ROOT, "%d libraries, %.0f a second", count, count / seconds);
  }

  private byte[] compile() throws IOException, InterruptedException {
    Path source = directory.resolve("storm.c");
    Path binary = directory.resolve("storm.so");
    Files.writeString(source, SOURCE, StandardCharsets.UTF_8);
    int exit =
        new ProcessBuilder(
                List.of(
                    "gcc",
                    "-O1",
                    "-shared",
                    "-fPIC",
                    "-fasynchronous-unwind-tables",
                    "-Wl,--build-id=0x" + BUILD_ID,
                    "-o",
                    binary.toString(),
                    source.toString()))
            .inheritIO()
            .start()
            .waitFor();
    if (exit != 0) {
      throw new IOException("gcc: exit code " + exit);
    }
    return Files.readAllBytes(binary);
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int i = 0; i + wanted.length <= bytes.length; i++) {
      int same = 0;
      while (same < wanted.length && bytes[i + same] == wanted[same]) {
        same++;
      }
      if (same == wanted.length) {
        return i;
      }
    }
    throw new IllegalStateException("no build id in what gcc made");
  }

  /** Deletes the files; the libraries stay loaded until their class loader is unloaded. */
  @Override
  public void close() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
