package stackweave.agent.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;
import stackweave.agent.attach.Order;
import stackweave.agent.linux.Descriptor;
import stackweave.jfr.control.SamplingSettings;

/** {@code record PID -d 30s -o rec.jfr}. */
@Command(
    name = "record",
    description = {
      "Samples a running JVM for some time and leaves a recording.",
      "Attaches the agent if it isn't there, and then detaches it again. Ctrl-C ends the recording"
          + " early and keeps it."
    },
    customSynopsis =
        "java -jar stackweave-agent.jar record PID [-d TIME] [-o FILE] [--interval TIME]"
            + " [--engine NAME] [--settings NAME]")
final class RecordCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "TIME",
      converter = Duration.class,
      description = "How long, such as 30s or 5m. Default: 30s.")
  private Long durationMillis = 30_000L;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: rec-PID.jfr.")
  private Path output;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = SamplingOptions.Interval.class,
      description =
          "CPU time between two samples of a thread: "
              + SamplingSettings.INTERVALS
              + ", the default.")
  private String interval;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      converter = SamplingOptions.Engine.class,
      description = "The engine to try first: " + SamplingSettings.ENGINES + ". Default: auto.")
  private String engine;

  @Option(
      names = "--settings",
      paramLabel = "NAME",
      description =
          "JFR's configuration for its own events: default, profile, or none. Default: default.")
  private String settings = "default";

  /** Of the disk: the target's user chooses how large his recording is. */
  private static final long KEPT_FREE = 64L << 20;

  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);

  @Override
  public Integer call() throws FailedException {
    Path file = output == null ? Path.of("rec-" + target.pid() + ".jfr") : output;
    mustBeWritable(file);
    Runtime.getRuntime().addShutdownHook(new Thread(this::interrupt));
    try (TargetJvm jvm = TargetJvm.open(target.pid())) {
      System.err.println(Plain.report(record(jvm, file)));
    } finally {
      finished.countDown();
    }
    System.out.println(file);
    System.err.println("next: java -jar stackweave-agent.jar flamegraph " + file);
    return 0;
  }

  private static void mustBeWritable(Path file) throws FailedException {
    try {
      OutputFile.mustBeWritable(file);
    } catch (IOException e) {
      throw cantWrite(file, e);
    }
  }

  private static FailedException cantWrite(Path file, IOException e) {
    return new FailedException("can't write " + file + ": " + FailedException.reason(e));
  }

  private String record(TargetJvm jvm, Path file) throws FailedException {
    Map<Order.Name, String> order = new EnumMap<>(Order.Name.class);
    order.put(Order.Name.SETTINGS, settings);
    order.put(Order.Name.DURATION, Long.toString(durationMillis));
    if (interval != null) {
      order.put(Order.Name.INTERVAL, interval);
    }
    if (engine != null) {
      order.put(Order.Name.ENGINE, engine);
    }
    TargetDirectory exchange = jvm.directory();
    String name = "rec-" + ProcessHandle.current().pid() + ".jfr";
    jvm.order(Order.Kind.RECORD, order);
    awaitEnd(jvm.process());
    try {
      Map<Order.Name, String> where = Map.of(Order.Name.FILE, exchange.seen(name));
      String report = jvm.order(Order.Kind.FINISH, where);
      save(exchange, name, file);
      return report;
    } finally {
      exchange.remove(name);
    }
  }

  private static void save(TargetDirectory exchange, String name, Path file)
      throws FailedException {
    try (Descriptor recording = exchange.fetch(name)) {
      long size = exchange.size(recording);
      long room = file.toAbsolutePath().getParent().toFile().getUsableSpace();
      if (size > room - KEPT_FREE) {
        throw new FileSystemException(
            file.toString(), null, "the recording's " + size + " bytes don't fit there");
      }
      OutputFile.writePrivate(file, out -> exchange.copy(recording, out));
    } catch (IOException e) {
      throw cantWrite(file, e);
    }
  }

  /** Waits for the end of the time or of the user's patience, or the target's end. */
  private void awaitEnd(TargetProcess process) {
    long start = System.nanoTime();
    boolean terminal = System.console() != null;
    try {
      for (long left = durationMillis; left > 0; left = durationMillis - millisSince(start)) {
        if (terminal) {
          System.err.printf(
              "\rrecording: %d of %d s ", millisSince(start) / 1000, durationMillis / 1000);
        }
        if (interrupted.await(Math.min(left, 1_000), TimeUnit.MILLISECONDS) || !process.isAlive()) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (terminal) {
      System.err.println();
    }
  }

  private static long millisSince(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1_000_000;
  }

  /** On Ctrl-C: lets the recording be finished before this JVM ends. */
  private void interrupt() {
    interrupted.countDown();
    try {
      finished.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A time with its unit, in milliseconds. */
  static final class Duration implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      Matcher matcher = Pattern.compile("([1-9]\\d{0,6})(ms|s|m|h)").matcher(text);
      if (!matcher.matches()) {
        throw new TypeConversionException("'" + text + "' is no time such as 30s, 5m or 1h");
      }
      long unit =
          switch (matcher.group(2)) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            default -> 3_600_000;
          };
      return Long.parseLong(matcher.group(1)) * unit;
    }
  }
}
