package stackweave.jfr.export.symbols;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Asks addr2line, of binutils or LLVM, which functions are inlined at an address of one file, and
 * at which lines; so this program does not read DWARF. Not thread-safe.
 */
final class InlinedFunctions implements AutoCloseable {
  /** The fastest first. */
  private static final List<String> TOOLS = List.of("llvm-addr2line", "addr2line");

  /** An address that no file has: its answer marks the end of the previous one. */
  private static final long END = -2;

  private static final Pattern PLACE = Pattern.compile("(.*):(\\d{1,9}|\\?)(?: \\(.*\\))?");
  private static final String UNKNOWN = "??";

  /** Most lines for one address; a broken tool could print more. */
  private static final int MAX_LINES = 1_000;

  /**
   * A function at an address.
   *
   * @param name the symbol, which may be mangled
   * @param file name of the source file, without its directory; empty if unknown
   * @param line 0 if unknown
   */
  record Place(String name, String file, int line) {}

  private final Process process;
  private final Writer questions;
  private final BufferedReader answers;
  private final long maxSeconds;
  private String failure = "";

  private InlinedFunctions(Process process, long maxSeconds) {
    this.process = process;
    this.maxSeconds = maxSeconds;
    this.questions = process.outputWriter();
    this.answers = process.inputReader();
  }

  /**
   * Starts a tool on a file. It ends with its input, and so with this process.
   *
   * @param maxSeconds limit for one answer
   * @return null if this machine has no such tool
   */
  static InlinedFunctions of(Path file, long maxSeconds) {
    for (String tool : TOOLS) {
      try {
        return of(tool, file, maxSeconds);
      } catch (IOException e) {
        continue; // the machine lacks this tool
      }
    }
    return null;
  }

  static InlinedFunctions of(String tool, Path file, long maxSeconds) throws IOException {
    // Not in the working directory, to which a relative or empty entry of PATH may lead.
    return new InlinedFunctions(
        new ProcessBuilder(tool, "-f", "-i", "-a", "-e", file.toAbsolutePath().toString())
            .directory(new File("/"))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start(),
        maxSeconds);
  }

  /** Why there are no more answers; empty if nothing is wrong. */
  String failure() {
    return failure;
  }

  /** The functions at an address, the innermost first; empty if the file has no information. */
  List<Place> at(long address) {
    if (!failure.isEmpty() || address == END) {
      return List.of();
    }
    // A read can't be interrupted, but a process can be ended.
    AtomicBoolean late = new AtomicBoolean();
    CompletableFuture<Void> limit =
        CompletableFuture.runAsync(
            () -> {
              late.set(true); // set before the reader sees the end of input
              close();
            },
            CompletableFuture.delayedExecutor(maxSeconds, TimeUnit.SECONDS));
    try {
      questions.write(hex(address) + "\n" + hex(END) + "\n");
      questions.flush();
      List<String> lines = new ArrayList<>();
      for (String line = answers.readLine(); !isAddress(line, END); line = answers.readLine()) {
        lines.add(line);
        if (lines.size() > MAX_LINES) {
          throw new IOException("it says too much");
        }
      }
      answers.readLine(); // of the end, "??"
      answers.readLine(); // and "??:0"
      if (lines.isEmpty() || !isAddress(lines.get(0), address)) {
        throw new IOException("it answers something else");
      }
      return places(lines);
    } catch (IOException e) {
      failure =
          late.get() ? "no answer within " + maxSeconds + " s" : String.valueOf(e.getMessage());
      close();
      return List.of();
    } finally {
      limit.cancel(false);
    }
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }

  private static boolean isAddress(String line, long address) throws IOException {
    if (line == null) {
      throw new IOException("it has ended");
    }
    return line.matches("0x0*" + Long.toHexString(address));
  }

  /** Parses the lines of an address: the address, then pairs of a name and a place. */
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
              place.group(2).equals("?") ? 0 : Integer.parseInt(place.group(2))));
    }
    return places;
  }

  /** Ends the tool, and processes that it may have started, which would keep the pipe open. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
