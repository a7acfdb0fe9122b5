package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.BurnsAndTells;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;

/** What a recording says of CPU time. */
abstract class CpuAccount {
  static final long SECOND = 1_000_000_000L;

  @TempDir Path directory;

  /** Sums over a recording's statuses. */
  record Cpu(long used, long covered, long missed, List<RecordedEvent> statuses) {
    static Cpu of(Path recording) throws Exception {
      List<RecordedEvent> statuses = EventsByTime.statuses(recording);
      return new Cpu(
          sum(statuses, "cpuUsed"),
          sum(statuses, "cpuCovered"),
          sum(statuses, "cpuMissed"),
          statuses);
    }

    static long sum(List<RecordedEvent> statuses, String field) {
      return statuses.stream().mapToLong(status -> status.getLong(field)).sum();
    }
  }

  Ended record(Jvm jvm, Path recording, int millis, String... settings) throws Exception {
    StringBuilder start = new StringBuilder("-XX:StartFlightRecording:filename=" + recording);
    for (String setting : settings) {
      start.append(',').append(setting);
    }
    Ended result =
        jvm.run(
            directory,
            List.of(
                "-javaagent:" + Jars.AGENT,
                start.toString(),
                "-cp",
                Jars.apps().toString(),
                BurnsAndTells.class.getName(),
                Integer.toString(millis)));
    assertEquals(0, result.exit(), result.err());
    return result;
  }

  /** What main says that it used, after the JVM's lines about the recording. */
  static long used(Ended result) {
    String[] lines = result.out().strip().split("\n");
    return Long.parseLong(lines[lines.length - 1]);
  }

  static long cpu(long pid) throws Exception {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10_000_000L;
  }
}
