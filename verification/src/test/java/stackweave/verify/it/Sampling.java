package stackweave.verify.it;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** For the little programs: whether their JVM is being sampled yet. */
final class Sampling {

  private Sampling() {}

  /**
   * Waits until the process has perf events or CPU timers: on a busy machine the drain thread needs
   * its time. After a minute the program goes on, and its test will miss the samples.
   */
  static void await() throws IOException, InterruptedException {
    for (int i = 0; i < 600 && !isOn(); i++) {
      Thread.sleep(100);
    }
    Thread.sleep(200);
  }

  /** Whether the process has perf events or CPU timers. */
  static boolean isOn() throws IOException {
    return hasPerfEvents() || hasTimers();
  }

  static boolean hasTimers() throws IOException {
    Path timers = Path.of("/proc/self/timers");
    return Files.exists(timers) && Files.readString(timers).contains("signal/tid.");
  }

  static boolean hasPerfEvents() throws IOException {
    try (DirectoryStream<Path> fds = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path fd : fds) {
        if (Files.isSymbolicLink(fd)
            && Files.readSymbolicLink(fd).toString().contains("perf_event")) {
          return true;
        }
      }
    } catch (java.nio.file.NoSuchFileException e) {
      return hasPerfEvents(); // closed between listing and reading
    }
    return false;
  }
}
