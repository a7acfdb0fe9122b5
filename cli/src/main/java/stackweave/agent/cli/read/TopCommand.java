package stackweave.agent.cli.read;

import java.nio.file.Files;
import java.nio.file.Path;
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
import stackweave.agent.cli.live.LiveRounds;
import stackweave.agent.cli.process.NamedJvm;
import stackweave.agent.cli.record.DurationConverter;
import stackweave.agent.cli.record.PlaceOption;
import stackweave.agent.cli.record.Recorder;
import stackweave.agent.cli.record.SamplingWishes;
import stackweave.jfr.export.TopExport;
import stackweave.jfr.read.RecordingException;

/** The command {@code top REC}: prints tables of the hottest functions, libraries and threads. */
@Command(
    name = "top",
    description = {
      "Hot functions, libraries and threads of a recording, or of a running JVM every few seconds:"
          + " their shares of the CPU time, or with --wall of the time of all threads.",
      "Self is the share with that code innermost in the stack; total has all stacks that it is in."
          + " A function that calls itself counts once for a stack."
    })
public final class TopCommand implements Callable<Integer> {
  private static final int WIDEST = 10_000;
  private static final long USUAL_EVERY_MILLIS = 5_000;

  /** What names a JVM if there is no such file: no path, and nothing that ends as a recording. */
  private static final Pattern JVM = Pattern.compile("[1-9]\\d{0,8}|(?!.*\\.jfr$)[^/]*\\D[^/]*");

  @Parameters(
      paramLabel = "REC",
      description =
          "The recording (.jfr); or a running JVM, which is sampled until Ctrl-C or its end: its"
              + " process id, or a part of its main class's name.")
  private Path file;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "For a running JVM: the time between two tables, 1s to 30s. Default: 5s.")
  private Long everyMillis;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "For a running JVM: the total time, such as 1m.")
  private Long totalMillis;

  @Option(
      names = {"-n", "--rows"},
      paramLabel = "ROWS",
      description = "Most rows of each table. Default: 20 functions, 10 libraries, 10 threads.")
  private Integer rows;

  @Option(
      names = "--by",
      paramLabel = "self|total",
      description = "What functions and libraries are sorted by. Default: self.")
  private Order by = Order.SELF;

  @Option(
      names = "--samples",
      description =
          "Shares of the samples, as in collapsed, instead of the CPU time that they stand for.")
  private boolean bySamples;

  @Option(
      names = "--wide",
      description =
          "Names are not shortened. Otherwise lines have 80 columns, or as many as the environment"
              + " variable COLUMNS says.")
  private boolean wide;

  @Mixin private SymbolOptions symbols;

  @Mixin private TimeOptions time;

  @Mixin private PlaceOption place;

  @Override
  public Integer call() throws RecordingException, FailedException {
    if (rows != null && rows < 1) {
      throw new UsageException("-n must be 1 or more, not " + rows);
    }
    if (bySamples && time.choice().isWall()) {
      throw new UsageException(
          "--samples is of CPU time: samples of waiting threads stand for times of any length");
    }
    TopExport.Options options =
        new TopExport.Options(
            rows == null ? 0 : rows,
            by == Order.TOTAL,
            bySamples,
            wide ? WIDEST : width(System.getenv("COLUMNS")));
    String name = file.getFileName().toString();
    if (name.isBlank() || JVM.matcher(file.toString()).matches() && !Files.exists(file)) {
      watch(pid(name), options);
      return 0;
    }
    if (everyMillis != null || totalMillis != null || place.isGiven()) {
      throw new UsageException(
          "--every, -d and --inside are for running JVMs, and " + file + " is a file");
    }
    Output.to(null, new TopExport(name, options), symbols.open(file, false, time.ofFile()));
    return 0;
  }

  private static long pid(String name) throws FailedException {
    try {
      return NamedJvm.pid(name);
    } catch (FailedException e) {
      throw new FailedException("there is no file %s, and %s", name, FailedException.worded(e));
    }
  }

  private void watch(long pid, TopExport.Options options) throws FailedException {
    long every = everyMillis == null ? USUAL_EVERY_MILLIS : everyMillis;
    if (time.choice().isOfJdk()) {
      throw new UsageException(
          "JFR's own events are read from recordings, and not from a running JVM: jcmd "
              + pid
              + " JFR.start, then JFR.dump");
    }
    if (every < LiveRounds.MIN_MILLIS || every > LiveRounds.MAX_MILLIS) {
      throw new UsageException("--every must be 1s to 30s");
    }
    Output.mustBeWritable(null);
    long total = totalMillis == null ? DurationConverter.MAX_MILLIS : totalMillis;
    Map<String, String> wishes = SamplingWishes.ofChoice(time.choice());
    LiveRounds rounds = new LiveRounds(every, total, wishes);
    try (Recorder recorder = place.open(pid, rounds.request())) {
      rounds.run(
          recorder, new LiveTop("process " + pid, options, symbols, time.choice()), () -> {});
    }
  }

  /** The terminal width of {@code COLUMNS}; the default if that is unset or no number. */
  private static int width(String columns) {
    if (columns == null || !columns.matches("[0-9]{1,4}")) {
      return TopExport.USUAL_WIDTH;
    }
    return Math.max(TopExport.MIN_WIDTH, Integer.parseInt(columns));
  }

  /** What functions and libraries are sorted by. */
  enum Order {
    SELF,
    TOTAL
  }
}
