package stackweave.live.recordings;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import stackweave.testing.Jdk;

/**
 * JFR of a JDK in which a method of its own classes has another name, as it may have in a JDK to
 * come: the classes to be given to {@code --patch-module}.
 */
final class RenamedJfr {
  private static final int UTF8 = 1;
  private static final int LONG = 5;
  private static final int DOUBLE = 6;

  private RenamedJfr() {}

  /** Writes all of JFR's classes that name {@code method} below {@code directory}. */
  static Path patch(Jdk jdk, String method, Path directory) throws IOException {
    byte[] name = method.getBytes(StandardCharsets.US_ASCII);
    int changed = 0;
    try (FileSystem modules =
            FileSystems.newFileSystem(
                URI.create("jrt:/"), Map.of("java.home", jdk.home().toString()));
        Stream<Path> files = Files.walk(modules.getPath("/modules/jdk.jfr/jdk/jfr"))) {
      List<Path> classes = files.filter(each -> each.toString().endsWith(".class")).toList();
      for (Path file : classes) {
        byte[] bytes = Files.readAllBytes(file);
        int at = indexOfConstant(bytes, name);
        if (at >= 0) {
          bytes[at] = 'X';
          Path to = directory.resolve(modules.getPath("/modules/jdk.jfr").relativize(file) + "");
          Files.createDirectories(to.getParent());
          Files.write(to, bytes);
          changed++;
        }
      }
    }
    if (changed < 2) {
      throw new IllegalStateException(method + " is in " + changed + " classes of JFR");
    }
    return directory;
  }

  /** Where the text of a constant begins in a class file (JVM specification 4.4); -1 if nowhere. */
  private static int indexOfConstant(byte[] bytes, byte[] text) {
    ByteBuffer in = ByteBuffer.wrap(bytes).position(8);
    int count = in.getShort() & 0xffff;
    for (int i = 1; i < count; i++) {
      int tag = in.get();
      switch (tag) {
        case UTF8 -> {
          int length = in.getShort() & 0xffff;
          ByteBuffer constant = in.slice(in.position(), length);
          if (constant.equals(ByteBuffer.wrap(text))) {
            return in.position();
          }
          in.position(in.position() + length);
        }
        case LONG, DOUBLE -> {
          in.position(in.position() + 8);
          i++; // it takes two entries
        }
        case 7, 8, 16, 19, 20 -> in.position(in.position() + 2);
        case 15 -> in.position(in.position() + 3);
        default -> in.position(in.position() + 4);
      }
    }
    return -1;
  }
}
