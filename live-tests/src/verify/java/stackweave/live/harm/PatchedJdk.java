package stackweave.live.harm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Stream;
import stackweave.testing.Jdk;

/**
 * A JDK like another, but for one string in its libjvm: links to all its files, and copies of those
 * by whose place the JVM finds the others.
 */
final class PatchedJdk {
  private static final Set<String> COPIED =
      Set.of("bin/java", "lib/libjli.so", "lib/server/libjvm.so", "lib/jvm.cfg");

  private PatchedJdk() {}

  /** In libjvm {@code text} begins with another letter; it must be there once, as a C string. */
  static Jdk without(Jdk jdk, String text) throws IOException {
    Path directory = Path.of("target/it/patched-" + jdk.feature()).toAbsolutePath();
    delete(directory);
    Files.walkFileTree(
        jdk.home(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path from, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(directory.resolve(jdk.home().relativize(from)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path from, BasicFileAttributes attributes)
              throws IOException {
            Path name = jdk.home().relativize(from);
            Path to = directory.resolve(name);
            if (COPIED.contains(name.toString())) {
              Files.copy(from, to);
            } else {
              Files.createSymbolicLink(to, from);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    patch(directory.resolve("lib/server/libjvm.so"), text);
    return new Jdk(directory, jdk.feature(), jdk.version() + " without " + text);
  }

  /** What an earlier run left; links, not what they lead to. */
  private static void delete(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> left = Files.walk(directory)) {
        for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static void patch(Path library, String text) throws IOException {
    byte[] bytes = Files.readAllBytes(library);
    byte[] wanted = ("\0" + text + "\0").getBytes(StandardCharsets.US_ASCII);
    int found = 0;
    for (int i = 0; i + wanted.length <= bytes.length; i++) {
      if (bytes[i] == 0 && Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
        bytes[i + 1] = 'X';
        found++;
      }
    }
    if (found != 1) {
      throw new IllegalStateException(text + " is " + found + " times in " + library);
    }
    Files.write(library, bytes);
  }
}
