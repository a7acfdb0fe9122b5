package stackweave.agent.cli.record;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.ProgressLine;
import stackweave.agent.cli.common.UsageException;
import stackweave.agent.cli.jvm.TargetOption;
import stackweave.agent.cli.output.Outputs;
import stackweave.agent.cli.process.NamedJvm;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.agent.cli.start.JvmRequest;
import stackweave.agent.cli.start.StartedProgram;
import stackweave.jfr.control.SamplingRequest;

/**
 * The command {@code record PID -d 30s -o rec.jfr}: samples a JVM for a time and saves the
 * recording, or what is made of it; {@code record -- java …} starts it.
 */
@Command(
    name = "record",
    description = {
      "Samples a running JVM for some time and leaves a recording, a flame graph, or another file:"
          + " as the ending of -o says.",
      "Nothing is loaded into the JVM, where that is possible: see --inside. Ctrl-C ends the recording"
          + " early and keeps it.",
      "With -- and a command, starts a program, and samples each JVM that a launcher java starts in"
          + " it, by the agent, from its start to its end. The exit code is the program's."
    })
public final class RecordCommand implements Callable<Integer> {

  @Parameters(
      arity = "0..*",
      paramLabel = "[PID | -- COMMAND...]",
      hideParamSyntax = true,
      description =
          TargetOption.DESCRIPTION + " None with --all; behind -- a command with its arguments.")
  private List<String> words = List.of();

  @Spec private CommandSpec command;

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
          "Its ending says what it has: .jfr (a recording), .html (a flame graph), .pb.gz (pprof),"
              + " .txt (collapsed stacks), .speedscope.json, .firefox.json; may be given several"
              + " times. Default: rec-PID.jfr, with --loop rec-PID-TIME.jfr. - is standard output,"
              + " for a recording. With --all a name with %%p, as of --loop.")
  private List<String> outputs = List.of();

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

  /** Ends the options; what follows is a command. */
  private static final String END_OF_OPTIONS = "--";

  @Override
  public Integer call() throws FailedException {
    boolean isLoop = loopMillis != null;
    Outputs named = Outputs.of(outputs);
    boolean isStart = isStart();
    mustFit(named, isStart);
    if (isLoop) {
      mustBeLoop(named.recording());
    }
    Map<String, String> wishes = sampling.eventSettings();
    if (settings.equals(DEFAULT_SETTINGS)) {
      SamplingWishes.addStalls(wishes);
    }
    if (isStart) {
      long limit = durationMillis == null ? 0 : durationMillis;
      return new StartedProgram(words, named, !noWeave && !sampling.hasEvent(), sampling.shown())
          .run(new JvmRequest(settings, wishes, limit));
    }
    long longest = isLoop ? DurationConverter.MAX_MILLIS : DEFAULT_MILLIS;
    long total = durationMillis != null ? durationMillis : longest;
    long each = isLoop ? loopMillis : total;
    if (many.isGiven()) {
      String names = outputs.isEmpty() ? RecordedFiles.usual(isLoop) : named.recording();
      Output.mustBeWritable(Path.of(names));
      SamplingRequest request = SamplingRequest.of("record", wishes);
      new ManyRecordings(
              many, place.sampling(), request, new ManyRecordings.Plan(names, each, total))
          .run();
      return 0;
    }
    long pid = NamedJvm.pid(words.get(0));
    RecordedFiles files =
        new RecordedFiles(
            pid,
            named,
            isLoop ? RecordedFiles.Kind.LOOP : RecordedFiles.Kind.SINGLE,
            each,
            !noWeave,
            sampling.shown());
    files.mustBeWritable();
    if (!QUOTABLE.matcher(settings).matches()) {
      throw new FailedException(
          "'" + settings + "' can't be passed to the JVM: it has a quote in it");
    }
    record(pid, new RemoteRecording.Request(settings, wishes, each, GRACE_MILLIS, 0), total, files);
    return 0;
  }

  private void record(long pid, RemoteRecording.Request request, long total, RecordedFiles files)
      throws FailedException {
    try (ProgressLine line = ProgressLine.begin();
        Recorder recorder = place.open(pid, request)) {
      RecordingRounds rounds =
          new RecordingRounds(
              request,
              total,
              (millis, recording) ->
                  line.show(() -> progress(millis, total, files.count(), recording.soFar())));
      TargetProcess process = recorder.process();
      files.setTitle(process.name());
      rounds.run(
          recorder,
          (recording, last) -> {
            line.clear();
            files.take(process, recording, last);
          },
          () -> {});
    }
  }

  /** Whether a program is to be started: there are words behind {@code --}. */
  private boolean isStart() {
    List<String> all = command.commandLine().getParseResult().originalArgs();
    int end = all.indexOf(END_OF_OPTIONS);
    return end >= 0 && !words.isEmpty() && words.equals(all.subList(end + 1, all.size()));
  }

  /** Refuses arguments that say nothing together. */
  private void mustFit(Outputs named, boolean isStart) throws UsageException {
    boolean isMany = many.isGiven();
    many.mustFit();
    if (isStart) {
      if (isMany || loopMillis != null || place.isGiven()) {
        throw new UsageException(
            "a command behind -- is recorded once, and inside: --all, --loop and --inside need JVMs"
                + " that run");
      }
      if (named.isStream()) {
        throw new UsageException(
            "-o %s: standard output is the program's; name a file", named.recording());
      }
    } else if (!isMany && words.isEmpty()) {
      throw new UsageException("Missing required parameter: 'PID'");
    } else if (words.size() > (isMany ? 0 : 1)) {
      throw new UsageException(
          isMany
              ? "--all takes no PID"
              : "'%s' is one too many: a PID alone, or -- before a command",
          words.get(words.size() - 1));
    } else if (isMany
        && (place.isGiven() || !settings.equals(DEFAULT_SETTINGS) || sampling.isMoreThanCpu())) {
      throw new UsageException(
          "--all takes samples of CPU time only: --inside, --settings, --event, engines other than"
              + " perf, --wall, --blocked and --native-… need a PID");
    }
    if ((isMany || loopMillis != null) && !named.exports().isEmpty()) {
      throw new UsageException(
          "--all and --loop leave recordings, of which flamegraph and others make files: -o %s must"
              + " end in .jfr",
          named.exports().get(0));
    }
    if (isMany && named.recording() != null && !named.recording().contains("%p")) {
      throw new UsageException("-o %s: put %%p (the process) into the name", named.recording());
    }
  }

  private void mustBeLoop(String output) throws FailedException {
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

  /** How far it is, for a terminal. */
  private static String progress(long millis, long total, long files, String soFar) {
    long seconds = millis / 1_000;
    String time =
        total == DurationConverter.MAX_MILLIS
            ? String.format(Locale.ROOT, "recording: %d s, %d files", seconds, files)
            : String.format(Locale.ROOT, "recording: %d of %d s", seconds, total / 1_000);
    return soFar.isEmpty() ? time : time + ", " + soFar;
  }
}
