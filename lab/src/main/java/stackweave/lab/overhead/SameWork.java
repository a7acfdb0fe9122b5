package stackweave.lab.overhead;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import stackweave.lab.Built;
import stackweave.lab.CpuTime;
import stackweave.lab.RecordBeside;
import stackweave.testing.Jdk;

/**
 * Work that processes do one after another, each sampled in another way.
 *
 * @param app the application's name, such as {@code sql}
 * @param units as {@link stackweave.lab.overhead.app.Units#of} reads them
 * @param threads 0 for the application's own number
 * @param fromSeconds what the process does before is not counted; with 0 its start and its end
 *     count
 */
record SameWork(
    Jdk jdk, String app, String units, int threads, int fromSeconds, int hz, Path directory) {

  private static final List<String> OPTIONS =
      List.of("-Xms1g", "-Xmx1g", "-XX:+UseParallelGC", "-Xlog:jfr+startup=off");

  /**
   * What a process took.
   *
   * @param nanosPerUnit its CPU time for a unit
   * @param nanos its CPU time
   * @param command what the command took that sampled it; null if none did
   */
  record Cost(double nanosPerUnit, long nanos, RecordBeside.Taken command) {}

  /**
   * Runs a process to its end.
   *
   * @param agentJar the agent, where the sampler is one
   * @param agentOptions each begins with a comma
   * @return what the whole process took
   */
  Cost cost(Sampler sampler, Path agentJar, String agentOptions)
      throws IOException, InterruptedException {
    Path out = directory.resolve("out.txt");
    Path recording = directory.resolve("recording.jfr");
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    command.addAll(OPTIONS);
    command.addAll(sampler.options(hz, agentJar, agentOptions, recording));
    command.addAll(List.of("-cp", classPath(), WorkJvm.class.getName()));
    command.addAll(List.of(application(app), units, "" + threads, "" + fromSeconds));
    command.addAll(sampler.command(hz, recording));
    long before = CpuTime.ofChildren();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(out.toFile()))
            .start();
    RecordBeside beside = null;
    try {
      if (sampler.isCommand()) {
        beside =
            RecordBeside.start(
                process.pid(),
                jdk.java(),
                agentJar,
                sampler.record(hz, recording),
                directory.resolve("record.txt"));
      }
      process.getOutputStream().close(); // lets it work
      process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      throw new IOException(app + " failed:\n" + Files.readString(out));
    }
    long ended = CpuTime.ofChildren();
    long all = ended - before;
    boolean isCountedTwice = beside != null && !beside.isRunning();
    RecordBeside.Taken taken = beside == null ? null : beside.end(ended);
    if (isCountedTwice) {
      // The command's CPU time may be in what the JVM took: once more.
      return cost(sampler, agentJar, agentOptions);
    }
    List<String> said = Files.readAllLines(out);
    String[] figures = said.get(said.size() - 1).split(" ");
    double nanosPerUnit =
        fromSeconds == 0
            ? all / Double.parseDouble(figures[0])
            : Double.parseDouble(figures[2]) / Double.parseDouble(figures[1]);
    return new Cost(nanosPerUnit, all, taken);
  }

  /**
   * A process that works until it is destroyed, and prints what {@link WindowsJvm} does. With the
   * agent in it, unless the command {@code record} is to sample it from outside.
   *
   * @param agentOptions each begins with a comma
   * @param seconds of a window
   */
  Process windows(List<Sampler> samplers, String agentOptions, double seconds) throws IOException {
    List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
    command.addAll(OPTIONS);
    if (samplers.stream().noneMatch(Sampler::isCommand)) {
      command.add("-javaagent:" + Built.agentJar() + "=sample=explicit" + agentOptions);
    }
    command.add("--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED");
    command.addAll(List.of("-cp", classPath(), WindowsJvm.class.getName()));
    command.addAll(List.of(application(app), "" + threads, "" + hz, "" + seconds));
    command.add(directory.toString());
    samplers.forEach(sampler -> command.add(sampler.label()));
    return new ProcessBuilder(command).redirectError(Redirect.INHERIT).start();
  }

  /** The class of an application of that name. */
  private static String application(String name) {
    String title = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    return WorkJvm.class.getPackageName() + ".app." + title + "Application";
  }

  /** The sources of the search index are beside its classes, but not on the class path. */
  private static String classPath() throws IOException {
    StringBuilder path = new StringBuilder(Built.classes());
    try (Stream<Path> files = Files.list(Built.target().resolve("lib"))) {
      files
          .filter(file -> file.toString().endsWith(".jar"))
          .filter(file -> !file.toString().endsWith("-sources.jar"))
          .sorted()
          .forEach(file -> path.append(':').append(file));
    }
    return path.toString();
  }
}
