package stackweave.lab.calls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import stackweave.lab.Built;
import stackweave.lab.CpuTime;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Markdown;

/**
 * Whether calls are timed beside OpenTelemetry's agent and JaCoCo's, in each order, whether JaCoCo
 * still knows the class, and how much CPU time {@code calls} adds to a JVM's start. {@code
 * lab/calls} runs it. Arguments: the jars of the two agents, then the homes of JDKs.
 */
public final class Calls {
  private static final int LAUNCHES = 15;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final String OPTION = "calls=stackweave.lab.CpuTime::*";
  private static final String TIMED = "stackweave/lab/CpuTime";

  private final Path telemetry;
  private final Path coverage;
  private final Path directory = Files.createTempDirectory("calls");
  private int runs;

  private Calls(Path telemetry, Path coverage) throws IOException {
    this.telemetry = telemetry;
    this.coverage = coverage;
  }

  /** Prints the tables. */
  public static void main(String[] arguments) throws IOException {
    Calls calls = new Calls(Path.of(arguments[0]), Path.of(arguments[1]));
    List<Jdk> jdks = new ArrayList<>();
    for (String home : Arrays.asList(arguments).subList(2, arguments.length)) {
      jdks.add(Jdk.in(Path.of(home)));
    }
    Markdown tables = new Markdown();
    tables.table("JDK", "agents, in their order", ">calls", ">of them counted", "JaCoCo's class");
    for (Jdk jdk : jdks) {
      calls.beside(jdk, tables);
    }
    tables.table("JDK", ">agent, ms of CPU time", ">with `calls`, ms", ">difference, ms");
    for (Jdk jdk : jdks) {
      calls.start(jdk, tables);
    }
    System.out.println(tables);
  }

  private void beside(Jdk jdk, Markdown table) throws IOException {
    String own = "-javaagent:" + ForkedJvm.AGENT + "=" + OPTION;
    String other = "-javaagent:" + telemetry;
    Path execution = directory.resolve("jacoco.exec");
    String jacoco = "-javaagent:" + coverage + "=destfile=" + execution;
    long known = classId(jdk, execution, List.of(jacoco));
    for (List<String> agents :
        List.of(
            List.of(own),
            List.of(own, other),
            List.of(other, own),
            List.of(own, jacoco),
            List.of(jacoco, own),
            List.of(other, jacoco, own))) {
      Files.deleteIfExists(execution);
      ForkedJvm jvm = jvm(jdk).recording();
      Ended ended = jvm.options(agents.toArray(String[]::new)).run(CallsProgram.class.getName());
      if (!ended.successfully().outLines().get(0).equals("3")) {
        throw new IllegalStateException("not wrapped: " + ended.out() + ended.err());
      }
      String order =
          String.join(
              ", ",
              agents.stream()
                  .map(
                      agent ->
                          agent.equals(own)
                              ? "Stackweave"
                              : agent.equals(other) ? "OpenTelemetry" : "JaCoCo")
                  .toList());
      String id =
          !agents.contains(jacoco)
              ? ""
              : readId(execution) == known ? "that of the file" : "another one";
      table.row(
          Integer.toString(jdk.feature()),
          order,
          String.format(Locale.ROOT, "%,d", CallsProgram.CALLS),
          String.format(Locale.ROOT, "%,d", counted(jvm.recordingFile())),
          id);
    }
  }

  private ForkedJvm jvm(Jdk jdk) throws IOException {
    Path own = Files.createDirectory(directory.resolve("run" + runs++));
    ForkedJvm jvm = ForkedJvm.on(jdk, own).classPath(Built.classes());
    for (String signal : List.of("TRACES", "METRICS", "LOGS")) {
      jvm.environment("OTEL_" + signal + "_EXPORTER", "none");
    }
    return jvm;
  }

  private static long counted(Path recording) throws IOException {
    long calls = 0;
    for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
      if (event.getEventType().getName().equals("stackweave.NativeCallCounts")
          && event.getString("method").endsWith(".ofThread")) {
        calls += event.getLong("calls") + event.getLong("slowCalls");
      }
    }
    return calls;
  }

  private long classId(Jdk jdk, Path execution, List<String> agents) throws IOException {
    jvm(jdk).options(agents.toArray(String[]::new)).run(CallsProgram.class.getName());
    return readId(execution);
  }

  /** JaCoCo's id of the timed class: eight bytes before its name, which has two for its length. */
  private static long readId(Path execution) throws IOException {
    byte[] all = Files.readAllBytes(execution);
    int name = new String(all, StandardCharsets.ISO_8859_1).indexOf("\0\31" + TIMED);
    return name < Long.BYTES ? 0 : ByteBuffer.wrap(all).getLong(name - Long.BYTES);
  }

  /** In turns, so that a busy machine slows both. */
  private void start(Jdk jdk, Markdown table) throws IOException {
    double[] without = new double[LAUNCHES];
    double[] with = new double[LAUNCHES];
    for (int i = -1; i < LAUNCHES; i++) {
      double plain = launch(jdk, "");
      double timed = launch(jdk, "=" + OPTION);
      if (i >= 0) { // files come from the disk at first
        without[i] = plain;
        with[i] = timed;
      }
    }
    table.row(
        Integer.toString(jdk.feature()),
        String.format(Locale.ROOT, "%.0f", median(without)),
        String.format(Locale.ROOT, "%.0f", median(with)),
        String.format(Locale.ROOT, "%.0f", median(with) - median(without)));
  }

  private double launch(Jdk jdk, String options) throws IOException {
    ForkedJvm jvm = jvm(jdk).options("-javaagent:" + ForkedJvm.AGENT + options, "-version");
    long before = CpuTime.ofChildren();
    jvm.run(List.of()).successfully();
    return (CpuTime.ofChildren() - before) / NANOS_PER_MILLI;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
