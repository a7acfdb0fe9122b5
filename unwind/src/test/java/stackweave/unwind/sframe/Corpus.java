package stackweave.unwind.sframe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.stream.Stream;

/**
 * The conformance corpus: the one in the test resources, or another of the same format with {@code
 * -Dsframe.corpus=DIR}.
 */
public final class Corpus {
  private static final Path BUILT_IN = Path.of("../unwind/src/test/resources/sframe-corpus");
  private static final String OTHER = System.getProperty("sframe.corpus");
  private static final Path DIRECTORY = OTHER == null ? BUILT_IN : Path.of(OTHER);

  private Corpus() {}

  /** The corpus to test with. */
  public static Path directory() {
    return DIRECTORY;
  }

  /** The corpus in the test resources, whichever is tested with. */
  public static Path builtIn() {
    return BUILT_IN;
  }

  /** The directories of ELF files: those with a version in their name. */
  public static List<Path> sets() {
    return list("", "*-v*");
  }

  /** The ELF files of a set, some of which may have no .sframe. */
  public static List<Path> elfFiles(Path set) {
    return list(set, "*.elf");
  }

  /** The lines of an index without its comments; none where there is no such file. */
  public static List<String> index(Path index) throws IOException {
    return Files.exists(index)
        ? Files.readAllLines(index).stream().filter(line -> !line.startsWith("#")).toList()
        : List.of();
  }

  /** The files or directories below {@code under} whose name matches. */
  public static List<Path> list(String under, String glob) {
    return list(DIRECTORY.resolve(under), glob);
  }

  /**
   * The same in any directory. That there is none is an error in the built-in corpus; another one
   * need not have all parts.
   */
  public static List<Path> list(Path directory, String glob) {
    if (OTHER != null && !Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      PathMatcher matcher = directory.getFileSystem().getPathMatcher("glob:" + glob);
      List<Path> found =
          files.filter(file -> matcher.matches(file.getFileName())).sorted().toList();
      if (found.isEmpty() && OTHER == null) {
        throw new IllegalStateException("nothing like " + glob + " in " + directory);
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
