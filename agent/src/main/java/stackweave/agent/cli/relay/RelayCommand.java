package stackweave.agent.cli.relay;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import stackweave.agent.cli.collector.CollectorOptions;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.jvm.TargetOption;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.record.DurationConverter;
import stackweave.agent.cli.record.RecordingRounds;
import stackweave.agent.cli.record.RemoteRecording;
import stackweave.agent.cli.record.SamplingOptions;
import stackweave.jfr.export.otlp.OtlpEndpoint;
import stackweave.jfr.export.otlp.OtlpHeaders;

/**
 * The command {@code relay PID --endpoint URL}: sends a JVM's profiles to a collector all the time,
 * from this process. The JVM opens no connection and starts no JMX server.
 */
@Command(
    name = "relay",
    description = {
      "Sends profiles of a running JVM to an OpenTelemetry collector, one every few seconds, until"
          + " Ctrl-C or the program's end.",
      "The JVM itself sends nothing. If this command dies, the JVM stops sampling within a minute.",
      "Headers come from a file or from the environment variable " + OtlpHeaders.VARIABLE + "."
    },
    customSynopsis =
        "java -jar stackweave-agent.jar relay PID --endpoint URL [--every TIME] [-d TIME]"
            + " [--plain] [--headers FILE] [--service NAME] [--interval TIME] [--engine NAME]")
public final class RelayCommand implements Callable<Integer> {
  private static final long MIN_EVERY_MILLIS = 1_000;
  private static final long MAX_EVERY_MILLIS = 30_000;

  /** With the longest round, a minute after this command has died nothing samples any more. */
  private static final long GRACE_MILLIS = 30_000;

  /** Of one round, on the target's disk. */
  private static final long MAX_ROUND_BYTES = 64L << 20;

  /** JFR drops whole chunks, so some more may be there; the size is the target's to choose. */
  private static final long MAX_COPIED_BYTES = 4 * MAX_ROUND_BYTES;

  /** Disk space that is left free: the size of recordings is the target's to choose. */
  private static final long KEPT_FREE = 64L << 20;

  private static final String PREFIX = "stackweave-relay-";
  private static final Pattern LEFT = Pattern.compile(PREFIX + "(\\d{1,9})-\\d+");

  /** No configuration of JFR's: the recordings have our events only. */
  private static final String NO_OTHER_EVENTS = "none";

  @Spec private CommandSpec spec;

  @Mixin private TargetOption target;

  @Mixin private CollectorOptions destination;

  @Option(
      names = "--every",
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "The time of each profile, 1s to 30s. Default: 10s.")
  private long everyMillis = 10_000;

  @Option(
      names = {"-d", "--duration"},
      paramLabel = "TIME",
      converter = DurationConverter.class,
      description = "How long in all, such as 10m. Default: until Ctrl-C or the program's end.")
  private long totalMillis = DurationConverter.MAX_MILLIS;

  @Mixin private SamplingOptions sampling;

  private Path directory;
  private String obstacle = "";
  private long rounds;

  @Override
  public Integer call() throws FailedException {
    OtlpEndpoint collector = destination.collector();
    if (collector == null) {
      throw new ParameterException(spec.commandLine(), "Missing required option: '--endpoint'");
    }
    if (everyMillis < MIN_EVERY_MILLIS || everyMillis > MAX_EVERY_MILLIS) {
      throw new ParameterException(spec.commandLine(), "--every must be 1s to 30s");
    }
    RemoteRecording.Request request =
        new RemoteRecording.Request(
            NO_OTHER_EVENTS, sampling.eventSettings(), everyMillis, GRACE_MILLIS, MAX_ROUND_BYTES);
    try (TargetJvm jvm = TargetJvm.open(target.pid())) {
      makeDirectory();
      RelaySender sender = new RelaySender(collector, destination.service());
      new RecordingRounds(request, totalMillis, millis -> {})
          .run(
              jvm,
              (recording, end, start, last) -> {
                take(recording, sender);
                say(end);
              },
              () -> {
                sender.close();
                delete(directory);
              });
      return sender.lost() == 0 ? 0 : 2;
    }
  }

  private void makeDirectory() throws FailedException {
    long own = ProcessHandle.current().pid();
    try {
      directory = Files.createTempDirectory(PREFIX + own + "-"); // the user's alone
      deleteOthers(directory.getParent());
    } catch (IOException e) {
      throw new FailedException("can't make a temporary directory: " + FailedException.reason(e));
    }
  }

  /** Deletes what relays left that were killed: the user's own, of processes that are no more. */
  private void deleteOthers(Path temporary) throws IOException {
    Object self = Files.getOwner(directory);
    try (DirectoryStream<Path> found = Files.newDirectoryStream(temporary, PREFIX + "*")) {
      for (Path other : found) {
        Matcher name = LEFT.matcher(other.getFileName().toString());
        if (name.matches()
            && Files.isDirectory(other, LinkOption.NOFOLLOW_LINKS)
            && Files.getOwner(other, LinkOption.NOFOLLOW_LINKS).equals(self)
            && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
          delete(other);
        }
      }
    }
  }

  private void take(RemoteRecording recording, RelaySender sender) throws FailedException {
    Path file = directory.resolve(rounds++ + ".jfr");
    if (!recording.obstacle().equals(obstacle)) {
      obstacle = recording.obstacle();
      if (!obstacle.isEmpty()) {
        System.err.println("stackweave: no samples are taken: " + Plain.line(obstacle));
      }
    }
    try {
      long size = recording.size();
      if (size > MAX_COPIED_BYTES) {
        throw new FailedException(
            "the program's recording has "
                + size
                + " bytes, and was limited to "
                + MAX_ROUND_BYTES);
      }
      try (OutputStream out = Files.newOutputStream(file)) {
        recording.copy(out, size);
      }
      sender.offer(file);
      Files.delete(file);
    } catch (IOException e) {
      throw new FailedException(
          "can't copy a recording to " + directory + ": " + FailedException.reason(e));
    }
  }

  private static void say(RemoteRecording.End end) {
    String why =
        switch (end) {
          case ASKED -> "";
          case PROGRAM -> "the program ended";
          case KILLED -> "the program was killed or crashed";
          case OUTSIDE -> "the recording was ended from outside (detach, or jcmd JFR.stop)";
        };
    if (!why.isEmpty()) {
      System.err.println("stackweave: " + why);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("stackweave: " + directory + " is left: " + e.getMessage());
    }
  }
}
