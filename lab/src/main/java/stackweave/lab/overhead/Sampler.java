package stackweave.lab.overhead;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stackweave.lab.Built;

/** Who samples a process. */
enum Sampler {
  /** Neither the agent nor a recording. */
  NOBODY("", ""),
  /** An agent that does nothing. */
  EMPTY("", ""),
  /** The agent, which nothing asks to sample. */
  DORMANT("", ""),
  /** A recording of JFR without any events. */
  JFR("", ""),
  PERF("perf", ""),
  TIMER("timer", ""),
  PERF_THREAD("perf-thread", ""),
  /** The command {@code record}, from outside. */
  OUTSIDE("", ""),
  /** The command {@code record}, which attaches the agent. */
  INSIDE("", ""),
  /** async-profiler by perf events of threads. */
  ASYNC_CPU("", "cpu"),
  /** async-profiler by CPU timers. */
  ASYNC_CTIMER("", "ctimer");

  private final String engine;
  private final String event;

  Sampler(String engine, String event) {
    this.engine = engine;
    this.event = event;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Sampler of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  /**
   * Options of the JVM.
   *
   * @param agentOptions each begins with a comma
   */
  List<String> options(int hz, Path agentJar, String agentOptions, Path recording)
      throws IOException {
    String file = ",filename=" + recording;
    if (this == EMPTY) {
      return List.of("-javaagent:" + Built.emptyAgentJar());
    } else if (this == DORMANT) {
      return List.of("-javaagent:" + agentJar + "=sample=explicit" + agentOptions);
    } else if (this == JFR) {
      return List.of("-XX:StartFlightRecording:settings=none" + file);
    } else if (engine.isEmpty()) {
      return List.of();
    }
    // An event's interval is a number, which the agent's options have.
    boolean isEvent = agentOptions.contains(",event=");
    return List.of(
        "-javaagent:" + agentJar + "=engine=" + engine + agentOptions,
        "-XX:StartFlightRecording:settings=none,+stackweave.NativeSample#"
            + (isEvent ? "enabled=true" : "interval=" + 1_000_000 / hz + "us")
            + file);
  }

  /** Whether the command {@code record} samples. */
  boolean isCommand() {
    return this == OUTSIDE || this == INSIDE;
  }

  /** Options of that command. */
  List<String> record(int hz, Path recording) {
    List<String> options =
        new ArrayList<>(
            List.of(
                "--settings=none", "--interval=" + 1_000_000 / hz + "us", "--output=" + recording));
    if (this == INSIDE) {
      options.add("--inside");
    }
    return options;
  }

  /** The agent's engine; "" if it does not sample. */
  String engine() {
    return engine;
  }

  /** async-profiler's command, if it samples. */
  List<String> command(int hz, Path recording) {
    return event.isEmpty()
        ? List.of()
        : List.of(
            "start,event=%s,cstack=vmx,interval=%dus,jfr,loglevel=error,file=%s"
                .formatted(event, 1_000_000 / hz, recording));
  }
}
