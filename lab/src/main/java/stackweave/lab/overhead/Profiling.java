package stackweave.lab.overhead;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import one.profiler.AsyncProfiler;

/** Switches this JVM to a kind of window and back to dormant. */
final class Profiling {
  /** The agent's option by which only recordings that enable its event are sampled. */
  static final String EXPLICIT = "sample=explicit";

  private final long intervalNanos;
  private final String engine;
  private final Path agent;
  private final List<Worker> workers;
  private Recording recording;

  /**
   * @param engine the agent's engine, or {@code auto}
   * @param agent the agent's jar
   */
  Profiling(long intervalNanos, String engine, Path agent, List<Worker> workers) {
    this.intervalNanos = intervalNanos;
    this.engine = engine;
    this.agent = agent;
    this.workers = workers;
  }

  /** Switches to a kind of window; returns when that is done. */
  void start(WindowKind kind, Path file) throws IOException, InterruptedException {
    switch (kind) {
      case DORMANT -> {}
      case ABSENT -> order("detach", pid());
      case JFR -> record(file, false);
      case STACKWEAVE -> {
        long before = AgentState.samples();
        record(file, true);
        AgentState.awaitSamples(before);
      }
      case ASYNC -> async("start,cstack=vm", file);
      case ASYNC_VMX -> async("start,cstack=vmx", file);
      case BURN -> workers.forEach(worker -> worker.burn(0.02));
    }
  }

  /** Switches back to dormant; returns when that is done. */
  void stop(WindowKind kind) throws IOException, InterruptedException {
    switch (kind) {
      case DORMANT -> {}
      case ABSENT -> order("attach", pid(), EXPLICIT);
      case JFR, STACKWEAVE -> {
        recording.stop();
        recording.close();
        AgentState.awaitDormant();
      }
      case ASYNC, ASYNC_VMX -> AsyncProfiler.getInstance().execute("stop");
      case BURN -> workers.forEach(worker -> worker.burn(0));
    }
  }

  private void record(Path file, boolean sampled) throws IOException {
    recording = new Recording();
    if (sampled) {
      recording
          .enable("stackweave.NativeSample")
          .with("interval", intervalNanos + " ns")
          .with("engine", engine);
    }
    recording.setDestination(file);
    recording.start();
  }

  /**
   * async-profiler's event is the one that works as the agent's engine does: CPU timers, or perf's
   * clock.
   */
  private void async(String command, Path file) throws IOException {
    String event = engine.equals("timer") ? "ctimer" : "cpu";
    AsyncProfiler.getInstance()
        .execute(
            "%s,event=%s,interval=%d,jfr,loglevel=error,file=%s"
                .formatted(command, event, intervalNanos, file));
  }

  private static String pid() {
    return Long.toString(ProcessHandle.current().pid());
  }

  /** Runs the agent's command line. */
  private void order(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-jar");
    command.add(agent.toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException("failed: " + String.join(" ", command));
    }
  }
}
