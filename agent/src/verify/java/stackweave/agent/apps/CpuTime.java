package stackweave.agent.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Prints the nanoseconds of CPU that this JVM's threads used until main(). */
public final class CpuTime {

  private CpuTime() {}

  public static void main(String[] arguments) throws IOException {
    long sum = 0;
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      for (Path thread : threads.toList()) {
        sum += Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]);
      }
    }
    System.out.println(sum);
  }
}
