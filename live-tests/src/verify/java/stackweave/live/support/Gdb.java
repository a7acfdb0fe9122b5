package stackweave.live.support;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.testing.Commands;

/** What gdb says of a thread's native frames. */
public final class Gdb {

  /**
   * A frame: module (file name), the pc's (a return address's) offset in it, the function's name
   * without a C++ signature.
   */
  public record Frame(String module, long address, String name) {
    @Override
    public String toString() {
      return name + " [" + module + "+0x" + Long.toHexString(address) + "]";
    }
  }

  /** Of signed return addresses gdb says so behind the address. */
  private static final Pattern FRAME =
      Pattern.compile("#\\d+\\s+(?:0x([0-9a-f]+) (?:\\[PAC\\] )?in )?(\\S[^(]*?) ?\\(.*");

  private static final Pattern THREAD = Pattern.compile("Thread .* \"(.*)\"\\)?:");

  private Gdb() {}

  /** Waits until the process has a thread of this name that has used so much CPU time. */
  public static void awaitThread(Process process, String name, long cpuNanos) throws Exception {
    while (process.isAlive()) {
      try (DirectoryStream<Path> tasks =
          Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
        for (Path task : tasks) {
          if (Files.readString(task.resolve("comm")).strip().equals(name)
              && cpuNanos
                  <= Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0])) {
            return;
          }
        }
      } catch (IOException e) {
        // A thread that has ended.
      }
      Thread.sleep(50);
    }
    throw new AssertionError("no thread " + name);
  }

  /**
   * The thread's frames from {@code function} outwards to the last that gdb finds in a mapped file
   * (it can't unwind Java code).
   */
  public static List<Frame> stackOf(Process process, String thread, String function)
      throws IOException, InterruptedException {
    List<String> maps = Files.readAllLines(Path.of("/proc/" + process.pid() + "/maps"));
    List<String> lines = backtraces(process);

    List<Frame> frames = new ArrayList<>();
    boolean inThread = false;
    for (String line : lines) {
      if (line.startsWith("Thread ")) {
        inThread = line.contains("\"" + thread + "\"");
      }
      Matcher matcher = FRAME.matcher(line);
      if (!inThread || !matcher.matches() || matcher.group(1) == null) {
        continue;
      }
      String name = matcher.group(2);
      if (frames.isEmpty() && !name.equals(function)) {
        continue;
      }
      Frame frame = locate(Long.parseUnsignedLong(matcher.group(1), 16), name, maps);
      if (frame == null) {
        break;
      }
      frames.add(frame);
    }
    if (frames.isEmpty()) {
      throw new AssertionError(function + " is not in what gdb says:\n" + String.join("\n", lines));
    }
    return frames;
  }

  /**
   * The frames of all threads, by the thread's name in the OS: from the innermost outwards to the
   * last that gdb finds in a mapped file.
   */
  public static Map<String, List<Frame>> stacksOf(Process process)
      throws IOException, InterruptedException {
    List<String> maps = Files.readAllLines(Path.of("/proc/" + process.pid() + "/maps"));
    Map<String, List<Frame>> stacks = new HashMap<>();
    List<Frame> frames = new ArrayList<>();
    boolean ended = false;
    for (String line : backtraces(process)) {
      Matcher thread = THREAD.matcher(line);
      if (thread.lookingAt()) {
        frames = new ArrayList<>();
        ended = false;
        stacks.put(thread.group(1), frames);
      }
      Matcher matcher = FRAME.matcher(line);
      if (!ended && matcher.matches() && matcher.group(1) != null) {
        Frame frame = locate(Long.parseUnsignedLong(matcher.group(1), 16), matcher.group(2), maps);
        ended = frame == null;
        if (!ended) {
          frames.add(frame);
        }
      }
    }
    return stacks;
  }

  private static List<String> backtraces(Process process) throws IOException, InterruptedException {
    return Commands.run(
            "gdb",
            "-nx",
            "-batch",
            "-iex",
            "set debuginfod enabled off",
            "-p",
            process.pid(),
            "-ex",
            "set width 0",
            "-ex",
            "thread apply all bt")
        .outLines();
  }

  /** The frame of an address; null when it lies in no mapped file. */
  private static Frame locate(long pc, String name, List<String> maps) {
    long base = 0;
    String mapped = "";
    for (String line : maps) {
      String[] columns = line.split("\\s+", 6);
      String path = columns.length == 6 ? columns[5] : "";
      String[] range = columns[0].split("-");
      long start = Long.parseUnsignedLong(range[0], 16);
      if (!path.equals(mapped)) {
        mapped = path;
        base = start - Long.parseUnsignedLong(columns[2], 16);
      }
      if (Long.compareUnsigned(pc, start) >= 0
          && Long.compareUnsigned(pc, Long.parseUnsignedLong(range[1], 16)) < 0) {
        return path.startsWith("/")
            ? new Frame(path.substring(path.lastIndexOf('/') + 1), pc - base, name)
            : null;
      }
    }
    return null;
  }

  /**
   * Whether both are the same frames: each address but that of the first, which may work in a loop,
   * and each name in the modules whose symbols are complete (elsewhere gdb names the nearest
   * symbol, or what was inlined at the address).
   */
  public static boolean same(List<Frame> gdb, List<Frame> sampled) {
    if (gdb.size() != sampled.size()) {
      return false;
    }
    for (int i = 0; i < gdb.size(); i++) {
      Frame theirs = gdb.get(i);
      Frame ours = sampled.get(i);
      boolean named = theirs.module().matches("lib(loading|jvm)\\.so");
      if (!theirs.module().equals(ours.module())
          || i > 0 && theirs.address() != ours.address()
          || named && !theirs.name().equals(ours.name().replaceFirst("\\(.*", ""))) {
        return false;
      }
    }
    return true;
  }
}
