package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/** The command {@code relay}, with a collector in this JVM. */
@Order(3)
class RelayIT {
  private static final Pattern SENT =
      Pattern.compile("profiles sent: (\\d+), with (\\d+) samples; lost: (\\d+)");
  private static final Pattern WRITTEN = Pattern.compile("(\\d+) written");

  @TempDir private Path directory;
  private final List<Process> started = new ArrayList<>();
  private final List<byte[]> received = Collections.synchronizedList(new ArrayList<>());
  private HttpServer collector;

  @AfterEach
  void end() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    if (collector != null) {
      collector.stop(0);
    }
  }

  /**
   * Starts a collector.
   *
   * @param answer the HTTP status, by the number of the request, from 0
   */
  private String collect(IntUnaryOperator answer) throws Exception {
    collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    int[] requests = new int[1];
    collector.createContext(
        "/v1development/profiles",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          int status = answer.applyAsInt(requests[0]++);
          if (status == 200) {
            received.add(new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes());
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    collector.start();
    return "http://localhost:" + collector.getAddress().getPort();
  }

  private Process start(Jvm jvm, String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(options));
    Path temporary = Files.createDirectories(directory.resolve("tmp")); // what is left goes with it
    arguments.add("-Djava.io.tmpdir=" + temporary);
    arguments.addAll(List.of("-cp", Jars.apps().toString(), BurnsCpu.class.getName(), "900"));
    Process process =
        jvm.start(directory, arguments)
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    assertEquals("running", process.inputReader().readLine());
    return process;
  }

  private RunningCommand begin(Object... arguments) throws Exception {
    List<String> words =
        Stream.of(ForkedJvm.agentCommand(arguments)).map(Object::toString).toList();
    RunningCommand begun =
        RunningCommand.start(new ProcessBuilder(words).directory(directory.toFile()), directory);
    started.add(begun.process());
    return begun;
  }

  private void awaitReceived(int count) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (received.size() < count) {
      assertTrue(System.nanoTime() < end, "never received: " + count);
      Thread.sleep(50);
    }
  }

  /** Each sample once, though recordings overlap. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void everySampleIsSentOnce(Jvm jvm) throws Exception {
    long pid = start(jvm, "-javaagent:" + Jars.AGENT).pid();
    String url = collect(request -> 200);
    Ended relay =
        begin("relay", pid, "--endpoint", url, "--every=2s", "-d5s", "--service=orders").end();
    assertEquals(0, relay.exit(), relay.err());
    Matcher sent = SENT.matcher(relay.err());
    assertTrue(sent.find(), relay.err());
    Matcher written = WRITTEN.matcher(begin("status", pid).end().out());
    assertTrue(written.find());
    assertEquals(written.group(1), sent.group(2));
    assertEquals("0", sent.group(3));
    assertEquals(Integer.parseInt(sent.group(1)), received.size());
    assertTrue(received.size() >= 2, relay.err());
    int ofProgram = 0; // which need not get a CPU in each round
    for (byte[] message : received) {
      String text = new String(message, java.nio.charset.StandardCharsets.ISO_8859_1);
      assertTrue(text.contains("orders"), text);
      ofProgram += text.contains("stackweave.agent.apps.BurnsCpu.main") ? 1 : 0;
    }
    assertTrue(ofProgram > 0, "no sample of the program in " + received.size() + " messages");
  }

  /** A collector that can't take anything for a while gets all of it later. */
  @Test
  void whatIsRefusedForSomeTimeIsSentLater() throws Exception {
    long pid = start(Jvm.all().findFirst().orElseThrow(), "-javaagent:" + Jars.AGENT).pid();
    String url = collect(request -> request < 2 ? 503 : 200);
    RunningCommand relay = begin("relay", pid, "--endpoint", url, "--every=1s");
    awaitReceived(4);
    relay.process().destroy(); // SIGTERM, by which it ends as by Ctrl-C
    Ended result = relay.end();
    Matcher sent = SENT.matcher(result.err());
    assertTrue(sent.find(), result.err());
    Matcher written = WRITTEN.matcher(begin("status", pid).end().out());
    assertTrue(written.find());
    assertEquals(written.group(1), sent.group(2), result.err());
  }

  /** A collector that refuses for good: it is said once, and counted. */
  @Test
  void whatIsLostIsCounted() throws Exception {
    Process target = start(Jvm.all().findFirst().orElseThrow());
    String url = collect(request -> 400);
    Ended relay = begin("relay", target.pid(), "--endpoint", url, "--every=1s", "-d5s").end();
    assertEquals(2, relay.exit(), relay.err());
    Matcher sent = SENT.matcher(relay.err());
    assertTrue(sent.find(), relay.err());
    assertTrue(Integer.parseInt(sent.group(3)) >= 2, relay.err());
    assertEquals(1, relay.err().split("HTTP 400").length - 1, relay.err());
  }

  /** JFR itself ends the recording of a relay that was killed, within a minute. */
  @Test
  void theRecordingOfADeadRelayHasAnEndAndALimit() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    Process target = start(jvm);
    String url = collect(request -> 200);
    RunningCommand relay = begin("relay", target.pid(), "--endpoint", url, "--every=30s");
    String check = "";
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!check.contains("stackweave-record-") || !check.contains("(running)")) {
      assertTrue(relay.process().isAlive() && System.nanoTime() < end, check);
      check = Commands.output(jvm.home().resolve("bin/jcmd"), target.pid(), "JFR.check");
    }
    relay.process().destroyForcibly();
    assertTrue(check.contains("duration=1m") && check.contains("maxsize=64.0MB"), check);
  }

  /** What it can't do is said before anything is done. */
  @Test
  void wrongOptionsAreSaidAtOnce() throws Exception {
    assertTrue(begin("relay", 1).end().err().contains("'--endpoint'"));
    String plain = begin("relay", 1, "--endpoint", "http://example.org").end().err();
    assertTrue(plain.contains("permit it with --plain"), plain);
    String every = begin("relay", 1, "--endpoint", "http://localhost", "--every=1m").end().err();
    assertTrue(every.contains("--every must be 1s to 30s"), every);
    try (Stream<Path> files = Files.list(directory)) {
      assertTrue(files.noneMatch(file -> file.toString().contains("stackweave")));
    }
  }
}
