package stackweave.agent.cli.record;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.UsageException;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.control.SamplingRequest;

/**
 * The command {@code record PID -d 30s -o rec.jfr}: samples a JVM for a time and saves the
 * recording.
 */
@Command(
    name = "record",
    description = {
      "Samples a running JVM for some time and leaves a recording.",
      "Nothing is loaded into the JVM, where that is possible: see --inside. Ctrl-C ends the recording"
          + " early and keeps it."
    })
public final class RecordCommand implements Callable<Integer> {

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PID",
      description = "The JVM's process id; none with --all.")
  private Long pid;

  @Mixin private ManyOptions many;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "How long, such as 30s or 5m. Default: 30s; with --loop, until Ctrl-C or the program's"
              + " end.")
  private Long durationMillis;

  @Option(
      names = "--loop",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description =
          "A recording of each such time, without a gap between them; at least 1s. In FILE, %%p is"
              + " the process, %%t the time when a recording began, and %%n{8} its number: the last"
              + " eight are kept.")
  private Long loopMillis;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Default: rec-PID.jfr, with --loop rec-PID-TIME.jfr. - is standard output. With --all a"
              + " name with %%p, as of --loop.")
  private String output;

  @Mixin private RecordingOptions sampling;

  @Mixin private PlaceOption place;

  @Option(
      names = "--settings",
      paramLabel = "NAME",
      description =
          "JFR's configuration for its own events: default, profile, or none. Default: default.")
  private String settings = DEFAULT_SETTINGS;

  @Option(
      names = "--no-weave",
      description =
          "Leaves the recording as the JVM wrote it. Without it, samples become jdk.ExecutionSample"
              + " events, too, as by the command merge: for JDK Mission Control and other tools.")
  private boolean noWeave;

  private static final long DEFAULT_MILLIS = 30_000;

  /** With shorter loops recordings would be started and stopped most of the time. */
  private static final long MIN_LOOP_MILLIS = 1_000;

  /** If this command was killed, a recording ends by itself so long after its time. */
  private static final long GRACE_MILLIS = 60_000;

  private static final String DEFAULT_SETTINGS = "default";

  private static final Pattern QUOTABLE = Pattern.compile("[^\"\\p{Cntrl}]+");

  private long secondsSaid = -1;

  @Override
  public Integer call() throws FailedException {
    boolean isLoop = loopMillis != null;
    mustFit();
    if (isLoop) {
      mustBeLoop();
    }
    Map<String, String> wishes = sampling.eventSettings();
    if (settings.equals(DEFAULT_SETTINGS)) {
      SamplingWishes.addStalls(wishes);
    }
    long longest = isLoop ? DurationConverter.MAX_MILLIS : DEFAULT_MILLIS;
    long total = durationMillis != null ? durationMillis : longest;
    long each = isLoop ? loopMillis : total;
    if (many.isGiven()) {
      String names = output != null ? output : RecordedFiles.usual(isLoop);
      Output.mustBeWritable(Path.of(names));
      SamplingRequest request = SamplingRequest.of("record", wishes);
      new ManyRecordings(
              many, place.sampling(), request, new ManyRecordings.Plan(names, each, total))
          .run();
      return 0;
    }
    String event = sampling.hasEvent() ? sampling.event() : "";
    RecordedFiles files =
        new RecordedFiles(
            pid,
            output,
            isLoop ? RecordedFiles.Kind.LOOP : RecordedFiles.Kind.SINGLE,
            each,
            !noWeave,
            event);
    Output.mustBeWritable(files.next());
    if (!QUOTABLE.matcher(settings).matches()) {
      throw new FailedException(
          "'" + settings + "' can't be passed to the JVM: it has a quote in it");
    }
    RemoteRecording.Request request =
        new RemoteRecording.Request(settings, wishes, each, GRACE_MILLIS, 0);
    RecordingRounds rounds =
        new RecordingRounds(request, total, millis -> show(millis, total, files.count()));
    try (Recorder recorder = place.open(pid, request)) {
      TargetProcess process = recorder.process();
      rounds.run(recorder, (recording, last) -> files.take(process, recording, last), () -> {});
    }
    return 0;
  }

  /** Refuses arguments that say nothing together. */
  private void mustFit() throws UsageException {
    if (!many.isGiven()) {
      many.mustBeUnused();
      if (pid == null) {
        throw new UsageException("Missing required parameter: 'PID'");
      }
    } else if (pid != null) {
      throw new UsageException("--all takes no PID");
    } else if (place.isGiven() || !settings.equals(DEFAULT_SETTINGS) || sampling.isMoreThanCpu()) {
      throw new UsageException(
          "--all takes samples of CPU time only: --inside, --settings, --event, engines other than"
              + " perf, --wall, --blocked and --native-… need a PID");
    } else if (output != null && !output.contains("%p")) {
      throw new UsageException("-o %s: put %%p (the process) into the name", output);
    }
  }

  private void mustBeLoop() throws FailedException {
    if (loopMillis < MIN_LOOP_MILLIS) {
      throw new FailedException("--loop must be at least 1s");
    }
    if (output != null && Output.isStandardOutput(Path.of(output))) {
      throw new FailedException("--loop writes files: -o must name them");
    }
    String problem = output == null ? "" : new FilePattern(output).problem();
    if (!problem.isEmpty()) {
      throw new FailedException("-o " + output + ": " + problem);
    }
  }

  /** Shows on a terminal how long it has recorded. */
  private void show(long millis, long total, long recordings) {
    long seconds = millis / 1_000;
    if (System.console() == null || seconds == secondsSaid) {
      return;
    }
    secondsSaid = seconds;
    if (total == DurationConverter.MAX_MILLIS) {
      System.err.printf(Locale.ROOT, "\rrecording: %d s, %d files ", seconds, recordings);
    } else {
      System.err.printf(Locale.ROOT, "\rrecording: %d of %d s ", seconds, total / 1_000);
    }
  }
}
