package stackweave.agent.cli.symbols;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks addr2line, of binutils or LLVM, which functions are inlined at an address of one file, and
 * for their lines: DWARF is theirs to read. Not thread-safe.
 */
final class InlinedFunctions implements AutoCloseable {
  /** In the order of speed. */
  private static final List<String> TOOLS = List.of("llvm-addr2line", "addr2line");

  /** An address that no file has: what is said of it ends what is said of the one before. */
  private static final String END = "0xfffffffffffffffe";

  private static final Pattern PLACE = Pattern.compile("(.*):(\\d+|\\?)(?: \\(.*\\))?");
  private static final String UNKNOWN = "??";

  /** Of one address; a broken tool could say more. */
  private static final int MAX_LINES = 1_000;

  /**
   * A function at an address.
   *
   * @param name as the file has it, which may be mangled
   * @param file name of the source file, without its directory; empty if unknown
   * @param line 0 if unknown
   */
  record Place(String name, String file, int line) {}

  private final Process process;
  private final Writer questions;
  private final BufferedReader answers;
  private boolean isBroken;

  private InlinedFunctions(Process process) {
    this.process = process;
    this.questions = process.outputWriter();
    this.answers = process.inputReader();
  }

  /** The tool's path, or null if this machine has none. */
  static Path tool() {
    String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
    for (String tool : TOOLS) {
      for (String directory : path.split(File.pathSeparator)) {
        Path candidate = Path.of(directory).resolve(tool);
        if (candidate.isAbsolute() && Files.isExecutable(candidate)) {
          return candidate;
        }
      }
    }
    return null;
  }

  /** Starts the tool on a file. */
  static InlinedFunctions of(Path tool, Path file) throws IOException {
    return new InlinedFunctions(
        new ProcessBuilder(
                tool.toString(), "-f", "-i", "-a", "-e", file.toAbsolutePath().toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** The functions at an address, the innermost first; empty if the file says nothing of it. */
  List<Place> at(long address) {
    if (isBroken) {
      return List.of();
    }
    try {
      questions.write("0x" + Long.toHexString(address) + "\n" + END + "\n");
      questions.flush();
      List<String> lines = new ArrayList<>();
      for (String line = answers.readLine(); !isEnd(line); line = answers.readLine()) {
        lines.add(line);
        if (lines.size() > MAX_LINES) {
          throw new IOException("too many lines");
        }
      }
      answers.readLine(); // of the end, "??"
      answers.readLine(); // and "??:0"
      return places(lines);
    } catch (IOException e) {
      isBroken = true;
      return List.of();
    }
  }

  private static boolean isEnd(String line) throws IOException {
    if (line == null) {
      throw new IOException("it has ended");
    }
    return line.startsWith("0x") && Long.parseUnsignedLong(line.substring(2), 16) == -2;
  }

  /** Lines of an address, and then pairs of a name and a place. */
  private static List<Place> places(List<String> lines) {
    List<Place> places = new ArrayList<>();
    for (int i = 1; i + 1 < lines.size(); i += 2) {
      String name = lines.get(i);
      Matcher place = PLACE.matcher(lines.get(i + 1));
      if (name.equals(UNKNOWN) || !place.matches()) {
        return List.of();
      }
      String file = place.group(1);
      boolean hasFile = !file.equals(UNKNOWN);
      places.add(
          new Place(
              name,
              hasFile ? file.substring(file.lastIndexOf('/') + 1) : "",
              place.group(2).equals("?") ? 0 : number(place.group(2))));
    }
    return places;
  }

  private static int number(String digits) {
    return digits.length() > 9 ? 0 : Integer.parseInt(digits);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
