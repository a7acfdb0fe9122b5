package stackweave.jfr.export.otlp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesPartialSuccess;
import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceRequest;
import io.opentelemetry.proto.collector.profiles.v1development.ExportProfilesServiceResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.export.ExportedStacks;
import stackweave.jfr.export.ManyStacks;
import stackweave.jfr.export.Protobuf;
import stackweave.jfr.export.Selection;
import stackweave.jfr.read.SampledRecording;

/** Sending to a collector that understands no more than OpenTelemetry's own classes do. */
class OtlpEndpointTest {
  private static final Protobuf SMALL = new Protobuf().string(9, "x");

  /** An answer of the collector. */
  private record Answer(int status, Map<String, String> headers, byte[] body) {
    Answer(int status) {
      this(status, Map.of(), new byte[0]);
    }
  }

  @TempDir private Path directory;

  private final List<byte[]> bodies = Collections.synchronizedList(new ArrayList<>());
  private final List<Map<String, List<String>>> headers =
      Collections.synchronizedList(new ArrayList<>());
  private final List<String> paths = Collections.synchronizedList(new ArrayList<>());

  /** The last one is given again and again. */
  private final Deque<Answer> answers = new ArrayDeque<>();

  private HttpServer server;
  private String url;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
    url = "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private synchronized void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = new GZIPInputStream(exchange.getRequestBody()).readAllBytes();
      bodies.add(body);
      headers.add(Map.copyOf(exchange.getRequestHeaders()));
      paths.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
      Answer answer = answers.size() > 1 ? answers.poll() : answers.peek();
      answer.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(
          answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
      exchange.getResponseBody().write(answer.body());
    }
  }

  @Test
  void theCollectorGetsTheStacksOfTheCollapsedFormat() throws Exception {
    answers.add(new Answer(200));
    SampledRecording recording = ManyStacks.all(directory);
    OtlpExport export = new OtlpExport("orders", Selection.ALL);
    OtlpAnswer answer =
        endpoint(url, Map.of("Authorization", "Bearer secret")).send(export.message(recording));
    assertEquals(new OtlpAnswer(0, ""), answer);
    assertEquals(List.of("POST /v1development/profiles"), paths);
    assertEquals(List.of("application/x-protobuf"), headers.get(0).get("Content-type"));
    assertEquals(List.of("Bearer secret"), headers.get(0).get("Authorization"));
    assertArrayEquals(ExportedStacks.bytes(export, recording), bodies.get(0));
    ExportProfilesServiceRequest request = ExportProfilesServiceRequest.parseFrom(bodies.get(0));
    assertTrue(request.getUnknownFields().asMap().isEmpty());
    assertEquals(1, request.getResourceProfilesCount());
    new OtlpMessage(bodies.get(0)).stacks().assertAreThoseOf(recording, Selection.ALL);
  }

  @Test
  void aPathIsKept() throws Exception {
    answers.add(new Answer(200));
    endpoint(url + "/tenant/otlp?x=1", Map.of()).send(SMALL);
    endpoint(url + "/", Map.of()).send(SMALL);
    assertEquals(List.of("POST /tenant/otlp?x=1", "POST /v1development/profiles"), paths);
  }

  @Test
  void saysWhatTheCollectorRejects() throws Exception {
    answers.add(
        new Answer(
            200,
            Map.of(),
            ExportProfilesServiceResponse.newBuilder()
                .setPartialSuccess(
                    ExportProfilesPartialSuccess.newBuilder()
                        .setRejectedProfiles(2)
                        .setErrorMessage("too\nold"))
                .build()
                .toByteArray()));
    assertEquals(new OtlpAnswer(2, "too old"), endpoint(url, Map.of()).send(SMALL));
  }

  /** What is no answer of a collector does not fail: the status says that it took the profile. */
  @ParameterizedTest
  @ValueSource(
      strings = {"<html>ok</html>", "\n\u007f", "\n\u0002\u0008", "\u0008", "\u000b\u000c"})
  void otherAnswersSayNothing(String body) throws Exception {
    answers.add(new Answer(200, Map.of(), body.getBytes("ISO-8859-1")));
    assertEquals(0, endpoint(url, Map.of()).send(SMALL).rejected());
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 502, 503, 504})
  void triesAgainWhenAsked(int status) throws Exception {
    answers.add(new Answer(status));
    answers.add(new Answer(status, Map.of("Retry-After", "0"), new byte[0]));
    answers.add(new Answer(200));
    endpoint(url, Map.of()).send(SMALL);
    assertEquals(3, bodies.size());
    assertArrayEquals(bodies.get(0), bodies.get(2));
  }

  @Test
  void givesUp() throws Exception {
    answers.add(new Answer(503));
    assertFails("HTTP 503; given up after 5 attempts", endpoint(url, Map.of()));
    assertEquals(OtlpEndpoint.ATTEMPTS, bodies.size());
  }

  @Test
  void waitsAsLongAsItIsAsked() throws Exception {
    answers.add(new Answer(429, Map.of("Retry-After", "1"), new byte[0]));
    answers.add(new Answer(200));
    long begin = System.nanoTime();
    endpoint(url, Map.of()).send(SMALL);
    assertTrue(System.nanoTime() - begin >= 1_000_000_000L);
  }

  @ParameterizedTest
  @CsvSource({
    "400, 'HTTP 400, no such thing'",
    "401, HTTP 401",
    "404, HTTP 404",
    "413, choose a part with --from and --to",
    "500, HTTP 500",
  })
  void doesNotTryAgainWhatWasRefused(int status, String message) throws Exception {
    // google.rpc.Status, which is of no artefact here: message is field 2.
    byte[] body =
        status == 400
            ? ByteString.copyFromUtf8("\u0012\rno such thing").toByteArray()
            : new byte[0];
    answers.add(new Answer(status, Map.of(), body));
    assertFails(message, endpoint(url, Map.of()));
    assertEquals(1, bodies.size());
  }

  /** Headers would go to another place. */
  @Test
  void followsNoRedirect() throws Exception {
    answers.add(new Answer(307, Map.of("Location", url + "/other"), new byte[0]));
    assertFails("redirects are not followed", endpoint(url, Map.of("Authorization", "x")));
    assertEquals(1, paths.size());
  }

  @Test
  void nobodyIsThere() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    assertFails(
        "could not be reached: connection refused", endpoint("http://localhost:" + port, Map.of()));
  }

  @Test
  void aCollectorWithoutTls() throws Exception {
    try (ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> refuse(plain));
      server.setDaemon(true);
      server.start();
      assertFails(
          "does not speak TLS", endpoint("https://127.0.0.1:" + plain.getLocalPort(), Map.of()));
    }
  }

  /** As servers answer what is no HTTP, until the socket is closed. */
  private static void refuse(ServerSocket socket) {
    try {
      while (true) {
        try (Socket accepted = socket.accept()) {
          accepted.getInputStream().read();
          accepted.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
        }
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  @Test
  void doesNotWaitForEver() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String address = "http://127.0.0.1:" + silent.getLocalPort();
      OtlpEndpoint endpoint = new OtlpEndpoint(address, false, Map.of(), 1, Duration.ofMillis(200));
      assertFails("could not be reached", endpoint);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://collector:4318, --plain",
    "http://127.0.0.1.example.com, --plain",
    "HTTP://10.0.0.1/x, --plain",
    "https://user:secret@collector, password",
    "http://user:secret@localhost, password",
    "ftp://localhost, must begin with",
    "localhost:4318, must begin with",
    "/v1, must begin with",
    "https://, no URL",
    "'http://local host', no URL",
  })
  void refusesAddresses(String address, String message) {
    EndpointException e =
        assertThrows(EndpointException.class, () -> new OtlpEndpoint(address, false, Map.of()));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertFalse(e.getMessage().contains("secret"), e.getMessage());
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://collector",
        "http://localhost:1",
        "http://127.1.2.3",
        "http://[::1]:4318"
      })
  void takesAddresses(String address) throws Exception {
    assertEquals(
        "/v1development/profiles", new OtlpEndpoint(address, false, Map.of()).uri().getPath());
  }

  @Test
  void plainHttpMayBePermitted() throws Exception {
    assertEquals("collector", new OtlpEndpoint("http://collector", true, Map.of()).uri().getHost());
  }

  @Test
  void readsHeaders() throws Exception {
    assertEquals(
        Map.of("Authorization", "Basic a:b==", "x-scope", "1"),
        OtlpHeaders.ofLines(
            List.of("# of the team", "", "Authorization: Basic a:b==", " x-scope :1")));
    assertEquals(
        Map.of("authorization", "Basic a+b==", "x", "1, 2"),
        OtlpHeaders.ofVariable("authorization=Basic%20a+b==,x=1%2C%202,"));
  }

  /** A value is never in a message. */
  @Test
  void refusesHeaders() {
    for (String line :
        List.of("secret", "a b: secret", ": secret", "x: secret\u0001", "é: secret")) {
      EndpointException e =
          assertThrows(EndpointException.class, () -> OtlpHeaders.ofLines(List.of(line)));
      assertEquals("line 1 of the headers' file is not 'name: value'", e.getMessage());
    }
    for (String text : List.of("secret", "x=secret%0d%0ay:z", "x=secret%", "=secret")) {
      EndpointException e =
          assertThrows(EndpointException.class, () -> OtlpHeaders.ofVariable(text));
      assertFalse(e.getMessage().contains("secret"), e.getMessage());
    }
    EndpointException e =
        assertThrows(
            EndpointException.class, () -> new OtlpEndpoint(url, false, Map.of("Host", "secret")));
    assertFalse(e.getMessage().contains("secret"), e.getMessage());
  }

  static void assertFails(String message, OtlpEndpoint endpoint) {
    EndpointException e = assertThrows(EndpointException.class, () -> endpoint.send(SMALL));
    assertTrue(e.getMessage().contains(message), e.getMessage());
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
  }

  /** Waits a ms at first. */
  private static OtlpEndpoint endpoint(String address, Map<String, String> headers)
      throws EndpointException {
    return new OtlpEndpoint(address, false, headers, 1, Duration.ofMinutes(2));
  }
}
