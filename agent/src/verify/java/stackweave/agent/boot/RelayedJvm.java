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
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/** A JVM, a relay and a collector. */
abstract class RelayedJvm {
  static final Pattern SENT =
      Pattern.compile("profiles sent: (\\d+), with (\\d+) samples; lost: (\\d+)");
  static final Pattern WRITTEN = Pattern.compile("(\\d+) written");

  @TempDir Path directory;
  final List<Process> started = new ArrayList<>();
  final List<byte[]> received = Collections.synchronizedList(new ArrayList<>());
  HttpServer collector;

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
  String collect(IntUnaryOperator answer) throws Exception {
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

  Process start(Jvm jvm, String... options) throws Exception {
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

  RunningCommand begin(Object... arguments) throws Exception {
    List<String> words =
        Stream.of(ForkedJvm.agentCommand(arguments)).map(Object::toString).toList();
    RunningCommand begun =
        RunningCommand.start(new ProcessBuilder(words).directory(directory.toFile()), directory);
    started.add(begun.process());
    return begun;
  }

  void awaitReceived(Predicate<List<byte[]>> wanted) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!wanted.test(List.copyOf(received))) {
      assertTrue(System.nanoTime() < end, "never received: " + received.size());
      Thread.sleep(50);
    }
  }
}
