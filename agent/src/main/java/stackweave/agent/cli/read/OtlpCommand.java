package stackweave.agent.cli.read;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.jfr.export.otlp.EndpointException;
import stackweave.jfr.export.otlp.OtlpAnswer;
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
          + " (name=value,name=value)."
    },
    customSynopsis = {
      "java -jar stackweave-agent.jar otlp REC [-o FILE] [--service NAME] [--from TIME] [--to TIME]"
          + " [--state LIST] [-I REGEX] [-X REGEX]",
      "java -jar stackweave-agent.jar otlp REC --endpoint URL [--plain] [--headers FILE] ..."
    })
public final class OtlpCommand implements Callable<Integer> {
  private static final String SERVICE_VARIABLE = "OTEL_SERVICE_NAME";

  /** A file of headers is not larger. */
  private static final int MAX_HEADERS = 1 << 16;

  @Spec private CommandSpec spec;

  @Mixin private Recording recording;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Default without --endpoint: the recording's name with .otlp, beside it. - is standard"
              + " output.")
  private Path output;

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "The collector; "
              + OtlpEndpoint.PATH
              + " is added if there is no path. With -o a file is written, too.")
  private String endpoint;

  @Option(
      names = "--plain",
      description = "http:// may go to other machines: who is between reads it.")
  private boolean plain;

  @Option(
      names = "--headers",
      paramLabel = "FILE",
      description = "Headers of the request, a line 'name: value' for each.")
  private Path headers;

  @Option(
      names = "--service",
      paramLabel = "NAME",
      description =
          "The application's name, service.name. Default: the environment variable "
              + SERVICE_VARIABLE
              + ", else "
              + OtlpExport.UNKNOWN_SERVICE
              + ".")
  private String service;

  @Mixin private SelectionOptions selection;

  @Override
  public Integer call() throws RecordingException, FailedException {
    if (endpoint == null && (plain || headers != null)) {
      throw new ParameterException(
          spec.commandLine(), (plain ? "--plain" : "--headers") + " needs --endpoint");
    }
    try {
      OtlpEndpoint collector =
          endpoint == null ? null : new OtlpEndpoint(endpoint, plain, headers());
      Path file = output == null && collector == null ? recording.beside(".otlp") : output;
      if (file != null) {
        recording.mustNotBeUnlessStandard(file);
        if (headers != null && !Output.isStandardOutput(file)) {
          Recording.mustNotBe(file, headers, "the file of headers");
        }
      }
      SampledRecording read = recording.read();
      OtlpExport export = new OtlpExport(service(), selection.in(read));
      if (file != null) {
        recording.write(export, read, file);
      }
      return collector == null ? 0 : send(collector, export, read);
    } catch (EndpointException e) {
      throw new FailedException(FailedException.worded(e));
    }
  }

  private static int send(OtlpEndpoint collector, OtlpExport export, SampledRecording read)
      throws RecordingException, FailedException, EndpointException {
    OtlpAnswer answer;
    try {
      answer = collector.send(export.message(read));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted while sending to " + collector.uri());
    }
    if (answer.rejected() > 0) {
      throw new FailedException(
          collector.uri() + " rejected " + answer.rejected() + " profiles: " + answer.message());
    }
    if (!answer.message().isEmpty()) {
      System.err.println(
          "stackweave: " + collector.uri() + " says: " + Plain.line(answer.message()));
    }
    System.err.println("stackweave: sent to " + collector.uri());
    return 0;
  }

  private String service() {
    if (service != null) {
      return service;
    }
    String variable = System.getenv(SERVICE_VARIABLE);
    return variable == null || variable.isBlank() ? OtlpExport.UNKNOWN_SERVICE : variable;
  }

  /**
   * The lines of a file of headers; of what has no size, such as a pipe, no more than of a file.
   */
  private static List<String> lines(Path file) throws IOException, FailedException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MAX_HEADERS + 1);
    }
    if (bytes.length > MAX_HEADERS) {
      throw new FailedException(file + " is too large for a file of headers");
    }
    return StandardCharsets.UTF_8
        .newDecoder()
        .decode(ByteBuffer.wrap(bytes))
        .toString()
        .lines()
        .toList();
  }

  private Map<String, String> headers() throws EndpointException, FailedException {
    Map<String, String> all = new LinkedHashMap<>();
    String variable = System.getenv(OtlpHeaders.VARIABLE);
    if (variable != null) {
      all.putAll(OtlpHeaders.ofVariable(variable));
    }
    if (headers != null) {
      try {
        all.putAll(OtlpHeaders.ofLines(lines(headers)));
      } catch (NoSuchFileException e) {
        throw new FailedException(headers + ": no such file");
      } catch (CharacterCodingException e) {
        throw new FailedException(headers + " is no text in UTF-8");
      } catch (IOException e) {
        throw new FailedException("can't read " + headers + ": " + FailedException.reason(e));
      }
    }
    return all;
  }
}
