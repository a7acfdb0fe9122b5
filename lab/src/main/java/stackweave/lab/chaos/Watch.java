package stackweave.lab.chaos;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import stackweave.lab.chaos.work.Board;
import stackweave.testing.Jdk;

/**
 * Watches a forked JVM until it ends: whether each of its threads produces results, and how it
 * ends.
 */
final class Watch {
  private static final int LOOK_MILLIS = 250;
  private static final int TOOL_SECONDS = 30;

  /** Exit codes above this one are signals: 128 + 11 is SIGSEGV. */
  private static final int SIGNALLED = 128;

  private final Process process;
  private final Board board;
  private final int antagonists;
  private final Jdk jdk;
  private final long hangNanos;
  private final Path directory;

  Watch(Process process, Board board, int antagonists, Jdk jdk, int hangSeconds, Path directory) {
    this.process = process;
    this.board = board;
    this.antagonists = antagonists;
    this.jdk = jdk;
    this.hangNanos = TimeUnit.SECONDS.toNanos(hangSeconds);
    this.directory = directory;
  }

  /** Waits for the JVM's end; null if it ended as it should, else what happened. */
  String untilEnd() throws IOException, InterruptedException {
    long[] beats = beats();
    long[] since = new long[beats.length];
    Arrays.fill(since, System.nanoTime());
    while (!process.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      long[] now = beats();
      for (int i = 0; i < now.length; i++) {
        if (now[i] != beats[i] || isExcused(i)) {
          since[i] = System.nanoTime();
        } else if (System.nanoTime() - since[i] > hangNanos) {
          return hang(i);
        }
      }
      beats = now;
    }
    return end();
  }

  /** Progress counters of the stage, the workers and the antagonists. */
  private long[] beats() {
    long[] beats = new long[1 + Load.threads() + antagonists];
    beats[0] = board.get(Board.STAGE);
    for (int i = 0; i < Load.threads(); i++) {
      beats[1 + i] = board.get(Board.WORKERS + i);
    }
    for (int i = 0; i < antagonists; i++) {
      beats[1 + Load.threads() + i] = board.tally(i).beat();
    }
    return beats;
  }

  /**
   * Whether a counter may stand still: the stage while the load works; the others before and after,
   * and an antagonist that is done.
   */
  private boolean isExcused(int beat) {
    boolean working = board.get(Board.STAGE) == Board.WORKING;
    if (beat == 0) {
      return working;
    }
    int antagonist = beat - 1 - Load.threads();
    return !working || antagonist >= 0 && board.tally(antagonist).isDone();
  }

  private String hang(int beat) throws IOException, InterruptedException {
    String who =
        beat == 0
            ? (board.get(Board.STAGE) == Board.ENDING ? "the JVM's end" : "the JVM's start")
            : beat <= Load.threads() ? "worker " + beat : "the antagonist";
    String pid = Long.toString(process.pid());
    tool("stacks.java", jdk.home().resolve("bin/jstack").toString(), pid);
    tool("stacks.native", "gdb", "-p", pid, "-batch", "-ex", "thread apply all bt");
    process.destroyForcibly().waitFor();
    return "hang: %s; stacks.java and stacks.native show where".formatted(who);
  }

  private void tool(String file, String... command) throws InterruptedException {
    try {
      Process tool =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve(file).toFile())
              .start();
      if (!tool.waitFor(TOOL_SECONDS, TimeUnit.SECONDS)) {
        tool.destroyForcibly().waitFor();
      }
    } catch (IOException e) {
      System.err.println("chaos: " + e.getMessage());
    }
  }

  private String end() throws IOException {
    List<Path> errors = new ArrayList<>();
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory, "{hs_err*,core*}")) {
      left.forEach(errors::add);
    }
    int exit = process.exitValue();
    if (!errors.isEmpty() || exit >= SIGNALLED) {
      return "crash: exit code " + exit + ", " + errors;
    }
    if (exit == ChaosJvm.WRONG) {
      return "wrong: " + firstOf("Exception", "Error");
    }
    if (exit != 0) {
      return "exit code " + exit + ": " + firstOf("");
    }
    return board.get(Board.STAGE) == Board.ENDING ? null : "the JVM ended too early";
  }

  private String firstOf(String... texts) throws IOException {
    return Files.readAllLines(directory.resolve("err")).stream()
        .filter(line -> Arrays.stream(texts).anyMatch(line::contains))
        .findFirst()
        .orElse("nothing on stderr");
  }
}
