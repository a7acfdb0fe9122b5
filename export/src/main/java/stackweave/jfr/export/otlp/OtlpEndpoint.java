package stackweave.jfr.export.otlp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLException;
import stackweave.jfr.export.Protobuf;

/**
 * A collector that accepts OpenTelemetry profiles over HTTP: OTLP/HTTP with binary protobuf,
 * gzipped. Plain HTTP goes to this machine only, unless permitted. Redirects are not followed,
 * since they would send headers to another host. Source: opentelemetry.io/docs/specs/otlp. gRPC is
 * not supported: its library would multiply the jar's size. Thread-safe.
 */
public final class OtlpEndpoint {
  /** The path of profiles, for addresses that have none. */
  public static final String PATH = "/v1development/profiles";

  /** Most attempts to send a profile. */
  public static final int ATTEMPTS = 5;

  /** Answers that ask for another try. */
  private static final Set<Integer> RETRYABLE = Set.of(429, 502, 503, 504);

  private static final int TOO_LARGE = 413;
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration REQUEST = Duration.ofSeconds(60);
  private static final long FIRST_WAIT_MILLIS = 1_000;
  private static final long LONGEST_WAIT_MILLIS = 30_000;
  private static final int MAX_ANSWER = 1 << 16;

  private final URI uri;
  private final Map<String, String> headers;
  private final long firstWaitMillis;
  private final Duration timeout;
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(CONNECT)
          .build();

  /**
   * @param url an address with https, or with http to this machine; {@link #PATH} is added if it
   *     has no path
   * @param plain whether http to other machines is permitted
   * @param headers what each request has, such as authorization
   * @throws EndpointException if the address can't be used
   */
  public OtlpEndpoint(String url, boolean plain, Map<String, String> headers)
      throws EndpointException {
    this(url, plain, headers, FIRST_WAIT_MILLIS, REQUEST);
  }

  OtlpEndpoint(
      String url, boolean plain, Map<String, String> headers, long firstWait, Duration timeout)
      throws EndpointException {
    this.uri = checked(url, plain);
    this.headers = Map.copyOf(headers);
    this.firstWaitMillis = firstWait;
    this.timeout = timeout;
    try {
      request(new byte[0]);
    } catch (IllegalArgumentException e) {
      // The exception's message would show the value.
      throw new EndpointException("a header has a name that HTTP clients may not set");
    }
  }

  private static URI checked(String url, boolean plain) throws EndpointException {
    URI uri;
    try {
      uri = new URI(url);
    } catch (URISyntaxException e) {
      throw new EndpointException("the endpoint is no URL: " + e.getReason());
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!Set.of("http", "https").contains(scheme) || uri.getHost() == null) {
      throw new EndpointException("the endpoint must begin with https:// and a host, or http://");
    }
    if (uri.getRawUserInfo() != null) {
      throw new EndpointException(
          "the endpoint has a password, which others can read on the command line: put an"
              + " authorization header into a file or "
              + OtlpHeaders.VARIABLE);
    }
    if (scheme.equals("http") && !plain && !isLoopback(uri.getHost())) {
      throw new EndpointException(
          "http:// to "
              + uri.getHost()
              + " could be read and changed on its way: use https://, or permit it with --plain");
    }
    String path = uri.getRawPath();
    return path == null || path.isEmpty() || path.equals("/") ? uri.resolve(PATH) : uri;
  }

  /** Decides by the name only, because a name server's answer is not trusted. */
  private static boolean isLoopback(String host) {
    return host.equalsIgnoreCase("localhost")
        || host.equals("[::1]")
        || host.matches("127(\\.\\d{1,3}){3}");
  }

  /** The address that profiles are sent to. */
  public URI uri() {
    return uri;
  }

  /**
   * Sends a message {@code ProfilesData}, up to {@link #ATTEMPTS} times with growing pauses if the
   * collector does not answer or asks for it.
   *
   * @throws EndpointException if the collector did not accept it
   */
  public OtlpAnswer send(Protobuf message) throws EndpointException, InterruptedException {
    byte[] body = zipped(message);
    for (int attempt = 1; ; attempt++) {
      String problem;
      long wait = firstWaitMillis << (attempt - 1);
      try {
        Reply reply = exchange(request(body));
        if (reply.status() / 100 == 2) {
          return OtlpAnswer.ofResponse(reply.body());
        }
        problem = problem(reply, body.length);
        if (!RETRYABLE.contains(reply.status())) {
          throw new EndpointException(problem);
        }
        wait = Math.max(wait, reply.retryAfterMillis());
      } catch (IOException e) {
        problem = uri + " could not be reached: " + reason(e);
      }
      if (attempt == ATTEMPTS) {
        throw new EndpointException(problem + "; given up after " + ATTEMPTS + " attempts");
      }
      // A random pause, so that many senders don't retry at once.
      long most = Math.min(wait, LONGEST_WAIT_MILLIS);
      Thread.sleep(most + ThreadLocalRandom.current().nextLong(most / 4 + 1));
    }
  }

  private static byte[] zipped(Protobuf message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      message.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  private HttpRequest request(byte[] body) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(uri)
            .timeout(timeout)
            .header("Content-Type", "application/x-protobuf")
            .header("Content-Encoding", "gzip")
            .header("User-Agent", "stackweave")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    headers.forEach(builder::setHeader);
    return builder.build();
  }

  private record Reply(int status, long retryAfterMillis, byte[] body) {}

  /** Sends once; limits the time and the length of the answer. */
  private Reply exchange(HttpRequest request)
      throws IOException, InterruptedException, EndpointException {
    CompletableFuture<Reply> reply =
        client
            .sendAsync(request, HttpResponse.BodyHandlers.ofInputStream())
            .thenApplyAsync(OtlpEndpoint::read);
    try {
      return reply.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException("no answer within " + timeout.toSeconds() + " s", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SSLException ssl) {
        if (String.valueOf(ssl.getMessage()).contains("plaintext")) {
          throw new EndpointException(
              uri + " does not speak TLS: name it with http:// (and --plain, if it is elsewhere)");
        }
        // An invalid certificate stays invalid, so it does not try again.
        throw new EndpointException(
            uri
                + " can't be trusted: "
                + reason(e.getCause())
                + "; -Djavax.net.ssl.trustStore names a file with other certificates");
      }
      throw new IOException(reason(e.getCause()), e);
    } finally {
      reply.cancel(true);
    }
  }

  private static Reply read(HttpResponse<InputStream> response) {
    try (InputStream body = response.body()) {
      long wait =
          response
              .headers()
              .firstValue("Retry-After")
              .filter(seconds -> seconds.matches("\\d{1,9}"))
              .map(seconds -> 1_000 * Long.parseLong(seconds))
              .orElse(0L);
      return new Reply(response.statusCode(), wait, body.readNBytes(MAX_ANSWER));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String problem(Reply reply, int bytes) {
    String said = OtlpAnswer.errorOf(reply.body());
    String advice = "";
    if (reply.status() == TOO_LARGE) {
      advice = "; it has " + bytes + " bytes: choose a part with --from and --to";
    } else if (reply.status() / 100 == 3) {
      advice = "; redirects are not followed: name the address where it leads";
    }
    return uri
        + " refused the profile: HTTP "
        + reply.status()
        + (said.isEmpty() ? "" : ", " + said)
        + advice;
  }

  private static String reason(Throwable e) {
    if (e instanceof ConnectException && e.getMessage() == null) {
      return "connection refused: does a collector listen there?"; // the JDK's client says no more
    }
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at.getMessage() != null && !at.getMessage().isBlank()) {
        return at.getMessage();
      }
    }
    String kind = e.getClass().getSimpleName().replaceFirst("Exception$", "");
    return kind.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }
}
