package stackweave.live.shares;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.lab.Built;
import stackweave.lab.recording.PlainDefinitions.Method;
import stackweave.lab.recording.PlainRecording;
import stackweave.live.support.Jvms;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * A JVM's threads, what they have used, and their samples. The CPU time is the kernel's: each
 * thread's clock, which is the first figure of its schedstat, up to date.
 */
final class SharesRun {
  /** Samples that are expected of a row at least. */
  private static final int LEAST = 5;

  private final Used used;
  private String engine = "";
  private long lost;
  private long samples;
  private long weight;
  private double squares;

  private SharesRun(Used used) {
    this.used = used;
  }

  /**
   * Runs it to its end.
   *
   * @param directory gets the recording
   */
  static SharesRun of(Jdk jdk, String engine, String interval, int seconds, Path directory)
      throws IOException {
    Path truth = directory.resolve("used.txt");
    Path recording =
        ForkedJvm.on(jdk, directory)
            .options("-Xmx512m", "-XX:+UseSerialGC")
            .agent("drain=100", "engine=" + engine)
            .recording("settings=none", "+stackweave.NativeSample#interval=" + interval)
            .classPath(Built.classPath() + Jvms.TESTS)
            .run(SharesJvm.class.getName(), truth.toString(), "" + 1_000 * seconds)
            .successfully()
            .recording();
    SharesRun run = new SharesRun(Used.read(truth));
    run.read(recording);
    Files.delete(recording);
    Files.delete(truth);
    return run;
  }

  private void read(Path file) throws IOException {
    PlainRecording own = PlainRecording.of(file);
    engine = own.engine();
    lost = own.sum("lost");
    for (RecordedEvent sample : own.samples) {
      sample(own, sample);
    }
  }

  private void sample(PlainRecording own, RecordedEvent sample) {
    Instant start = sample.getStartTime();
    long time = 1_000_000_000L * start.getEpochSecond() + start.getNano();
    long nanos = sample.getLong("weight");
    if (used.isInTime(time)) {
      samples++;
      weight += nanos;
      squares += (double) nanos * nanos;
    }
    Used.Life life =
        used.at(own.definitions.threads.get(sample.getLong("threadId")).osThreadId(), time);
    if (life == null) {
      return;
    }
    if (own.frames(sample).stream()
        .anyMatch(frame -> isMeasured(own.definitions.methods.get(frame.methodId())))) {
      life.samples++;
      life.weight += nanos;
    }
  }

  private static boolean isMeasured(Method method) {
    return method.name().equals("measured")
        && method.className().replace('/', '.').equals(Worker.class.getName());
  }

  /** Which engine has sampled at the end. */
  String engine() {
    return engine;
  }

  /** Samples in the time in which the threads ran, of all threads of the process. */
  long samples() {
    return samples;
  }

  /** The share of the process's CPU time in that time that these stand for. */
  double coverage() {
    return (double) weight / used.process;
  }

  /** What of it a standard deviation of chance is: one over the root of the samples' number. */
  double coverageDeviation() {
    return Math.sqrt(weight * each()) / used.process;
  }

  /** The share of the process's CPU time that found no room. */
  double lostShare() {
    return lost * each() / used.process;
  }

  /** CPU time that a sample stands for; where they are not all the same, more than the mean. */
  private double each() {
    return squares / weight;
  }

  /** Threads of one kind, or one of them. */
  private static final class Row {
    long used;
    long samples;
    long sampled;

    private void add(Used.Life life) {
      used += life.nanos;
      samples += life.samples;
      sampled += life.weight;
    }
  }

  private ChiSquare withoutRows() {
    long all = used.all().stream().mapToLong(life -> life.nanos).sum();
    long sampled = used.all().stream().mapToLong(life -> life.weight).sum();
    return new ChiSquare((double) sampled / all, each());
  }

  /**
   * Over all threads; those of a kind of which fewer than five samples can be expected are one row
   * together, as the test demands.
   */
  ChiSquare overThreads() {
    ChiSquare test = withoutRows();
    Map<String, Row> small = new LinkedHashMap<>();
    List<Row> rows = new ArrayList<>();
    for (Used.Life life : used.all()) {
      if (life.nanos < LEAST * each()) {
        small.computeIfAbsent(life.kind, kind -> new Row()).add(life);
      } else {
        Row row = new Row();
        row.add(life);
        rows.add(row);
      }
    }
    small.values().stream().filter(row -> row.used >= LEAST * each()).forEach(rows::add);
    rows.forEach(row -> test.add(row.used, row.sampled));
    return test;
  }
}
