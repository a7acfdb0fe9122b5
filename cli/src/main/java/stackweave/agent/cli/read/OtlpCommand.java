package stackweave.agent.cli.read;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.cli.collector.CollectorOptions;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.jfr.export.otlp.OtlpEndpoint;
import stackweave.jfr.export.otlp.OtlpExport;
import stackweave.jfr.export.otlp.OtlpHeaders;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** The command {@code otlp REC}: writes OpenTelemetry profiles, or sends them to a collector. */
@Command(
    name = "otlp",
    description = {
      "OpenTelemetry profiles: ProfilesData of opentelemetry-proto "
          + OtlpExport.PROTOCOL
          + ", profiles/v1development, as a file or sent to a collector.",
      "It is sent over HTTP as protobuf, not gRPC, to https:// or to http:// on this machine, up to "
          + OtlpEndpoint.ATTEMPTS
          + " times. Headers, such as an authorization, come from a file or from the environment"
          + " variable "
          + OtlpHeaders.VARIABLE
          + " (name=value,name=value).",
      "With --endpoint, a file is written only if -o names one; else it has the recording's name"
          + " with .otlp."
    })
public final class OtlpCommand implements Callable<Integer> {
  @Mixin private Recording recording;

  @Mixin private CollectorOptions destination;

  @Mixin private SelectionOptions selection;

  @Override
  public Integer call() throws RecordingException, FailedException {
    OtlpEndpoint collector = destination.collector();
    Path file = collector == null ? recording.output(".otlp") : recording.output();
    if (file != null && destination.headersFile() != null) {
      Output.mustNotBe(file, "the file of headers", destination.headersFile());
    }
    SampledRecording read = recording.read();
    OtlpExport export = new OtlpExport(destination.service(), selection.in(read));
    if (file != null) {
      recording.write(export, read, file);
    }
    if (collector != null) {
      send(collector, export, read);
    }
    return 0;
  }

  private static void send(OtlpEndpoint collector, OtlpExport export, SampledRecording read)
      throws RecordingException, FailedException {
    try {
      CollectorOptions.send(collector, export.message(read));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted while sending to " + collector.uri());
    }
    CommandMessages.say("sent to " + collector.uri());
  }
}
