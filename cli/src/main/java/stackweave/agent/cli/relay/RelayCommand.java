package stackweave.agent.cli.relay;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.collector.CollectorOptions;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.UsageException;
import stackweave.agent.cli.jvm.TargetOption;
import stackweave.agent.cli.live.LiveRounds;
import stackweave.agent.cli.record.DurationConverter;
import stackweave.agent.cli.record.PlaceOption;
import stackweave.agent.cli.record.Recorder;
import stackweave.agent.cli.record.SamplingOptions;
import stackweave.jfr.export.otlp.OtlpEndpoint;
import stackweave.jfr.export.otlp.OtlpHeaders;

/**
 * The command {@code relay PID --endpoint URL}: continuously sends a JVM's profiles to a collector,
 * from this process. The JVM opens no connection and starts no JMX server.
 */
@Command(
    name = "relay",
    description = {
      "Sends profiles of a running JVM to an OpenTelemetry collector, one every few seconds, until"
          + " Ctrl-C or the program's end.",
      "The JVM itself sends nothing. If this command dies, the JVM stops sampling within a minute.",
      "Headers come from a file or from the environment variable " + OtlpHeaders.VARIABLE + "."
    })
public final class RelayCommand implements Callable<Integer> {
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

  @Mixin private PlaceOption place;

  @Override
  public Integer call() throws FailedException {
    OtlpEndpoint collector = destination.collector();
    if (collector == null) {
      throw new UsageException("Missing required option: '--endpoint'");
    }
    if (everyMillis < LiveRounds.MIN_MILLIS || everyMillis > LiveRounds.MAX_MILLIS) {
      throw new UsageException("--every must be 1s to 30s");
    }
    Map<String, String> wishes = sampling.eventSettings();
    LiveRounds rounds = new LiveRounds(everyMillis, totalMillis, wishes);
    try (Recorder recorder = place.open(target.pid(), rounds.request())) {
      RelaySender sender = new RelaySender(collector, destination.service(), sampling.choice());
      rounds.run(recorder, sender, sender::close);
      return sender.lost() == 0 ? 0 : 2;
    }
  }
}
