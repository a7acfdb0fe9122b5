package stackweave.live.harm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingStream;
import stackweave.lab.Sampling;
import stackweave.samples.work.AgentThread;

/**
 * Goes through an agent's life and prints what the process has in each stage: {@code STAGE thread
 * NAME}, {@code STAGE fd TARGET} and {@code STAGE map FILE}.
 *
 * <p>Stages: {@code start}; {@code stream} (a stream of jdk.CPULoad alone); {@code recording} (one
 * that names stackweave.NativeSample); {@code after-0}, {@code after-1}, {@code after-2}, {@code
 * after-5}, … (seconds after the recording, up to the argument, or to the second look that finds it
 * sampled no more, and without the agent's thread).
 */
final class FootprintApp {

  private static final int SETTLING_LOOKS = 40;

  private static final int[] AFTER = {0, 1, 2, 5, 10, 20, 30, 45, 60};

  private FootprintApp() {}

  public static void main(String[] args) throws Exception {
    int longest = Integer.parseInt(args[0]);
    Thread busy = new Thread(FootprintApp::burn, "busy");
    busy.setDaemon(true);
    busy.start();
    Thread.sleep(300);
    print("start");

    try (RecordingStream stream = new RecordingStream()) {
      stream.enable("jdk.CPULoad").withPeriod(Duration.ofMillis(200));
      stream.startAsync();
      Thread.sleep(1_500);
      awaitNoControl();
      print("stream");
    }

    try (Recording recording = new Recording()) {
      recording.enable("stackweave.NativeSample");
      recording.setDestination(Path.of("footprint.jfr"));
      recording.start();
      Thread.sleep(1_000);
      if (longest > 0) {
        Sampling.await();
      }
      Thread.sleep(500);
      print("recording");
      recording.stop();
    }
    long stopped = System.nanoTime();
    int off = 0;
    for (int seconds : AFTER) {
      if (seconds > longest || off == 2) {
        break;
      }
      long due = stopped + Duration.ofSeconds(seconds).toNanos() - System.nanoTime();
      Thread.sleep(Math.max(0, due / 1_000_000));
      print("after-" + seconds);
      off += Sampling.isOn() || threadsNow().stream().anyMatch(AgentThread::isComm) ? 0 : 1;
    }
  }

  /**
   * The thread that looks after recordings ends when nothing has happened to them for a second; on
   * a busy machine that takes its time. Gives up after two minutes.
   */
  private static void awaitNoControl() throws IOException, InterruptedException {
    for (int i = 0; i < 1_200 && threadsNow().stream().anyMatch(FootprintApp::isControl); i++) {
      Thread.sleep(100);
    }
  }

  private static boolean isControl(String comm) {
    return comm.startsWith("stackwe") && !AgentThread.isComm(comm);
  }

  /** Some milliseconds of CPU time, again and again: enough for samples. */
  private static void burn() {
    long x = 1;
    while (x != 0) {
      for (int i = 0; i < 2_000_000; i++) {
        x = x * 6364136223846793005L + 1442695040888963407L | 1;
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  /** A thread that has just started is called like the program until it names itself. */
  private static List<String> threads() throws IOException, InterruptedException {
    List<String> before = threadsNow();
    for (int i = 0; i < SETTLING_LOOKS; i++) {
      Thread.sleep(50);
      List<String> now = threadsNow();
      if (now.equals(before)) {
        return now;
      }
      before = now;
    }
    return before;
  }

  private static List<String> threadsNow() throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
      for (Path task : tasks) {
        try {
          names.add(Files.readString(task.resolve("comm")).strip());
        } catch (IOException e) {
          if (Files.exists(task)) {
            throw e;
          }
        }
      }
    }
    Collections.sort(names);
    return names;
  }

  private static void print(String stage) throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    threads().forEach(name -> lines.add("thread " + name));
    try (DirectoryStream<Path> fds = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path fd : fds) {
        try {
          lines.add("fd " + Files.readSymbolicLink(fd));
        } catch (NoSuchFileException e) {
          // the listing's own
        }
      }
    }
    Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .map(line -> line.split("\\s+", 6))
        .filter(columns -> columns.length == 6 && !columns[5].isEmpty())
        .map(columns -> "map " + columns[5])
        .distinct()
        .forEach(lines::add);
    Collections.sort(lines);
    lines.forEach(line -> System.out.println(stage + " " + line));
  }
}
