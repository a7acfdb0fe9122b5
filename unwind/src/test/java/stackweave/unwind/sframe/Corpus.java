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
  private static final Path DIRECTORY =
      Path.of(System.getProperty("sframe.corpus", "src/test/resources/sframe-corpus"));

  private Corpus() {}

  public static Path directory() {
    return DIRECTORY;
  }

  /** The directories of a set of ELF files each: those with a version in their name. */
  public static List<Path> sets() {
    return list("", "*-v*");
  }

  /** The ELF files of a set, some of which may have no .sframe. */
  public static List<Path> elfFiles(Path set) {
    return list(set.getFileName().toString(), "*.elf");
  }

  /**
   * The lines of an index without its comments; none where there is no such file.
   *
   * @param file relative to the corpus
   */
  public static List<String> index(String file) throws IOException {
    Path index = DIRECTORY.resolve(file);
    return Files.exists(index)
        ? Files.readAllLines(index).stream().filter(line -> !line.startsWith("#")).toList()
        : List.of();
  }

  /** The files or directories below {@code under} whose name matches; an empty list is an error. */
  public static List<Path> list(String under, String glob) {
    Path directory = DIRECTORY.resolve(under);
    try (Stream<Path> files = Files.list(directory)) {
      PathMatcher matcher = directory.getFileSystem().getPathMatcher("glob:" + glob);
      List<Path> found =
          files.filter(file -> matcher.matches(file.getFileName())).sorted().toList();
      if (found.isEmpty()) {
        throw new IllegalStateException("nothing like " + glob + " in " + directory);
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
