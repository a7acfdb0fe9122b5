package stackweave.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The list of what users rely on: events, options, commands. It has what was ever promised, also
 * what is gone; that must be named in CHANGELOG.md. With {@code -Dpromised=write} what is new is
 * added to the list, and nothing is removed.
 */
public final class Promised {
  private static final Path LIST = Path.of("../docs/promised.txt");
  private static final Path CHANGES = Path.of("../CHANGELOG.md");
  private static final String COMMENT = "#";

  private Promised() {}

  /**
   * Compares the lines of one sort with what there is.
   *
   * @param sort the first word of the lines
   * @param present what there is, without that word
   * @throws AssertionError if something is new and not in the list, or is gone or changed and not
   *     in CHANGELOG.md
   */
  public static void compare(String sort, Collection<String> present) throws IOException {
    TreeSet<String> now = new TreeSet<>();
    present.forEach(each -> now.add(sort + " " + each));
    List<String> lines = Files.readAllLines(LIST);
    TreeSet<String> listed = new TreeSet<>(lines);
    listed.removeIf(line -> !line.startsWith(sort + " "));

    TreeSet<String> gone = new TreeSet<>(listed);
    gone.removeAll(now);
    String changes = Files.readString(CHANGES);
    gone.removeIf(line -> changes.contains("`" + line + "`"));
    assertEquals(List.of(), List.copyOf(gone), () -> CHANGES + " does not say that these are gone");

    TreeSet<String> added = new TreeSet<>(now);
    added.removeAll(listed);
    if ("write".equals(System.getProperty("promised"))) {
      write(lines, added);
      return;
    }
    assertEquals(
        List.of(), List.copyOf(added), () -> LIST + " lacks these; -Dpromised=write adds them");
  }

  private static void write(List<String> lines, Collection<String> added) throws IOException {
    List<String> written = new ArrayList<>(lines);
    written.removeIf(line -> !line.startsWith(COMMENT));
    TreeSet<String> sorted = new TreeSet<>(lines);
    sorted.removeAll(written);
    sorted.addAll(added);
    written.addAll(sorted);
    Files.write(LIST, written);
  }
}
