package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** Relays that meet something wrong. */
@Order(3)
class RelayMoreIT extends RelayedJvm {
  /** A collector that can't take anything for a while gets all of it later. */
  @Test
  void whatIsRefusedForSomeTimeIsSentLater() throws Exception {
    long pid = start(Jvm.all().findFirst().orElseThrow(), "-javaagent:" + Jars.AGENT).pid();
    String url = collect(request -> request < 2 ? 503 : 200);
    RunningCommand relay = begin("relay", pid, "--endpoint", url, "--every=1s");
    awaitReceived(messages -> messages.size() > 3);
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
    RunningCommand relay =
        begin("relay", target.pid(), "--inside", "--endpoint", url, "--every=30s");
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
