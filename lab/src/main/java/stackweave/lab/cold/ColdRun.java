package stackweave.lab.cold;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.lab.Built;
import stackweave.lab.cold.Watch.Times;
import stackweave.lab.cost.SameWork;
import stackweave.lab.cost.WorkJvm;
import stackweave.testing.Jdk;

/**
 * One run of an application, and what was measured of it.
 *
 * @param operations what the application did
 * @param watch CPU times and memory
 * @param recorded what its recordings say
 * @param ownBytes of the recording, those of the agent's events
 * @param fileBytes of the recording
 * @param calls system calls of the agent's thread by their name's group, while it was traced
 */
record ColdRun(
    Plan plan,
    long operations,
    Watch watch,
    Recorded recorded,
    long ownBytes,
    long fileBytes,
    Calls calls) {

  /** Who samples. */
  enum Profilers {
    /** Nobody, but JFR records. */
    NONE,
    AGENT,
    /** The agent, and async-profiler at nearly the same rate. */
    BOTH,
    /** The agent, whose thread is traced for a while when the application is cold. */
    TRACED
  }

  /**
   * What to run.
   *
   * @param hz samples per CPU second
   */
  record Plan(
      Jdk jdk,
      String app,
      int hz,
      Profilers profilers,
      int seconds,
      int coldSeconds,
      String agentOptions) {}

  /**
   * System calls of the agent's thread.
   *
   * @param reads process_vm_readv and pread64, by which the JVM's memory is read
   */
  record Calls(long reads, long all, long samples) {}

  private static final List<String> OPTIONS =
      List.of("-Xms1g", "-Xmx1g", "-XX:+UseParallelGC", "-Xlog:jfr+startup=off");

  /** Not quite the agent's interval, so that neither always interrupts the same place. */
  private static final double ASYNC_SHARE = 0.973;

  private static final int TRACE_FROM_SECONDS = 15;
  private static final int TRACE_SECONDS = 10;
  private static final Pattern SUMMARY =
      Pattern.compile("^ stackweave\\.\\S+ +\\d+ +(\\d+)$", Pattern.MULTILINE);
  private static final Pattern TRACED =
      Pattern.compile("^ *[\\d.]+ +[\\d.]+ +\\d+ +(\\d+) +(?:\\d+ +)?(\\w+)$", Pattern.MULTILINE);

  static ColdRun of(Plan plan, Path directory) throws IOException, InterruptedException {
    String name =
        "%s-%d-%d-%s"
            .formatted(plan.app, plan.jdk.feature(), plan.hz, plan.profilers)
            .toLowerCase(Locale.ROOT);
    Path recording = directory.resolve(name + ".jfr");
    Path async = directory.resolve(name + "-async.jfr");
    Path out = directory.resolve(name + ".txt");
    Instant begin = Instant.now();
    Process process =
        new ProcessBuilder(command(plan, recording, async))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(out.toFile()))
            .start();
    Watch watch = new Watch(process.pid());
    Tracer tracer = plan.profilers == Profilers.TRACED ? new Tracer(watch, directory) : null;
    if (tracer != null) {
      tracer.start();
    }
    long second = 1_000_000_000L;
    watch.follow(process, plan.coldSeconds * second, (plan.seconds - 5) * second);
    if (process.waitFor() != 0) {
      throw new IOException(name + " failed:\n" + Files.readString(out));
    }
    Recorded recorded = new Recorded(begin.plusSeconds(plan.coldSeconds));
    long own = 0;
    if (plan.profilers != Profilers.NONE) {
      recorded.own(recording);
      own = ownBytes(plan.jdk, recording);
    }
    if (plan.profilers == Profilers.BOTH) {
      recorded.async(async);
    }
    List<String> said = Files.readAllLines(out);
    return new ColdRun(
        plan,
        Long.parseLong(said.get(said.size() - 1).split(" ")[0]),
        watch,
        recorded,
        own,
        Files.size(recording),
        tracer == null ? null : tracer.calls(recorded));
  }

  private static List<String> command(Plan plan, Path recording, Path async) throws IOException {
    List<String> command = new ArrayList<>(List.of(plan.jdk.java().toString()));
    command.addAll(OPTIONS);
    long interval = plan.hz == 0 ? 0 : 1_000_000 / plan.hz;
    String settings = ",+jdk.Compilation#threshold=0ms";
    if (plan.profilers != Profilers.NONE) {
      String options = plan.agentOptions.isEmpty() ? "" : "=" + plan.agentOptions;
      command.add("-javaagent:" + Built.agentJar() + options);
      settings += ",+stackweave.NativeSample#interval=" + interval + "us";
    }
    command.add("-XX:StartFlightRecording:filename=" + recording + settings);
    command.addAll(List.of("-cp", SameWork.classPath(), WorkJvm.class.getName()));
    command.addAll(List.of(SameWork.application(plan.app), plan.seconds + "s", "0", "0"));
    if (plan.profilers == Profilers.BOTH) {
      command.add(
          "start,event=cpu,cstack=vmx,features=comptask,interval=%d,jfr,loglevel=error,file=%s"
              .formatted((long) (ASYNC_SHARE * interval * 1_000), async));
    }
    return command;
  }

  private static long ownBytes(Jdk jdk, Path recording) throws IOException {
    Process summary =
        new ProcessBuilder(
                jdk.home().resolve("bin/jfr").toString(), "summary", recording.toString())
            .redirectErrorStream(true)
            .start();
    Matcher lines = SUMMARY.matcher(new String(summary.getInputStream().readAllBytes()));
    long bytes = 0;
    while (lines.find()) {
      bytes += Long.parseLong(lines.group(1));
    }
    return bytes;
  }

  /** CPU time of the whole process for an operation. */
  double millisEach() {
    return (watch.cold().process() + watch.later().process()) / 1e6 / operations;
  }

  /** Whether it is one of the same application on the same JDK. */
  boolean isOfSame(ColdRun other) {
    return plan.app.equals(other.plan.app) && plan.jdk.equals(other.plan.jdk);
  }

  /** In one line. */
  String line() {
    Times cold = watch.cold();
    return "%s, JDK %d, %d Hz, %s: %,d operations; cold: drain %.0f µs of %d samples, %.2f %%"
        .formatted(
            plan.app,
            plan.jdk.feature(),
            plan.hz,
            plan.profilers,
            operations,
            cold.drain() / 1e3 / Math.max(1, recorded.cold.samples),
            recorded.cold.samples,
            100.0 * cold.drain() / cold.process());
  }

  /** Counts the system calls of the agent's thread, by strace. */
  private static final class Tracer extends Thread {
    private final Watch watch;
    private final Path out;
    private Instant from;
    private Instant to;

    Tracer(Watch watch, Path directory) {
      this.watch = watch;
      this.out = directory.resolve("strace.txt");
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        Thread.sleep(1_000L * TRACE_FROM_SECONDS);
        ProcessBuilder strace =
            new ProcessBuilder(
                    "timeout",
                    "-sINT",
                    "" + TRACE_SECONDS,
                    "strace",
                    "-c",
                    "-o",
                    out.toString(),
                    "-p",
                    "" + watch.drainThreadId())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD);
        from = Instant.now();
        strace.start().waitFor();
        to = Instant.now();
      } catch (IOException e) {
        from = null; // there is no strace
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    Calls calls(Recorded recorded) throws IOException {
      if (to == null || !Files.exists(out)) {
        return null;
      }
      long reads = 0;
      long all = 0;
      Matcher lines = TRACED.matcher(Files.readString(out));
      while (lines.find()) {
        long calls = Long.parseLong(lines.group(1));
        String call = lines.group(2);
        if (!call.equals("total")) {
          all += calls;
          reads += call.equals("process_vm_readv") || call.equals("pread64") ? calls : 0;
        }
      }
      return new Calls(reads, all, recorded.samplesBetween(from, to));
    }
  }
}
