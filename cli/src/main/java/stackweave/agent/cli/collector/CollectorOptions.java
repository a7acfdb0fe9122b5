package stackweave.agent.cli.collector;

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
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.UsageException;
import stackweave.jfr.export.Protobuf;
import stackweave.jfr.export.otlp.EndpointException;
import stackweave.jfr.export.otlp.OtlpAnswer;
import stackweave.jfr.export.otlp.OtlpEndpoint;
import stackweave.jfr.export.otlp.OtlpExport;
import stackweave.jfr.export.otlp.OtlpHeaders;

/**
 * The options for sending profiles: collector, headers and service name. Headers never come from
 * the command line, which other users can read.
 */
public final class CollectorOptions {
  private static final String SERVICE_VARIABLE = "OTEL_SERVICE_NAME";

  /** Limit for a file of headers. */
  private static final int MAX_HEADERS = 1 << 16;

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description = "The collector; " + OtlpEndpoint.PATH + " is added if there is no path.")
  private String endpoint;

  @Option(
      names = "--plain",
      description = "Permits http:// to other machines; the network between can read it.")
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

  /**
   * The collector; null if the command names none.
   *
   * @throws FailedException if it, or its headers, can't be used
   */
  public OtlpEndpoint collector() throws FailedException {
    if (endpoint == null) {
      if (plain || headers != null) {
        throw new UsageException((plain ? "--plain" : "--headers") + " needs --endpoint");
      }
      return null;
    }
    try {
      return new OtlpEndpoint(endpoint, plain, requestHeaders());
    } catch (EndpointException e) {
      throw new FailedException(FailedException.worded(e));
    }
  }

  /** The file of headers; null for none. */
  public Path headersFile() {
    return headers;
  }

  /** The name of the application. */
  public String service() {
    if (service != null) {
      return service;
    }
    String variable = System.getenv(SERVICE_VARIABLE);
    return variable == null || variable.isBlank() ? OtlpExport.UNKNOWN_SERVICE : variable;
  }

  /** The lines of a file of headers; a pipe is read up to the limit of a file. */
  private static List<String> lines(Path file) throws IOException, FailedException {
    try (InputStream in = Files.newInputStream(file)) {
      ByteBuffer bytes = ByteBuffer.wrap(in.readNBytes(MAX_HEADERS));
      if (in.read() >= 0) {
        throw new FailedException(file + " is too large for a file of headers");
      }
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString().lines().toList();
    }
  }

  private Map<String, String> requestHeaders() throws EndpointException, FailedException {
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

  /**
   * Sends a message {@code ProfilesData}, with retries.
   *
   * @throws FailedException if the collector did not take all of it
   */
  public static void send(OtlpEndpoint collector, Protobuf message)
      throws FailedException, InterruptedException {
    OtlpAnswer answer;
    try {
      answer = collector.send(message);
    } catch (EndpointException e) {
      throw new FailedException(FailedException.worded(e));
    }
    if (answer.rejected() > 0) {
      throw new FailedException(
          collector.uri() + " rejected " + answer.rejected() + " profiles: " + answer.message());
    }
    if (!answer.message().isEmpty()) {
      CommandMessages.say("%s says: %s", collector.uri(), answer.message());
    }
  }
}
