package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** The command {@code relay}, with a collector in this JVM. */
@Order(3)
class RelayIT extends RelayedJvm {
  /** Each sample once, though recordings overlap. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void everySampleIsSentOnce(Jvm jvm) throws Exception {
    long pid = start(jvm, "-javaagent:" + Jars.AGENT).pid();
    String url = collect(request -> 200);
    RunningCommand begun = begin("relay", pid, "--endpoint", url, "--every=1s", "--service=orders");
    awaitReceived(
        messages -> messages.size() > 1 && messages.stream().anyMatch(RelayIT::isOfProgram));
    Ended relay = RecordedProgram.interrupt(begun);
    Matcher sent = SENT.matcher(relay.err());
    assertTrue(sent.find(), relay.err());
    Matcher written = WRITTEN.matcher(begin("status", pid).end().out());
    assertTrue(written.find());
    assertEquals(written.group(1), sent.group(2));
    assertEquals("0", sent.group(3));
    assertEquals(Integer.parseInt(sent.group(1)), received.size());
    for (byte[] message : received) {
      assertTrue(text(message).contains("orders"), text(message));
    }
  }

  private static boolean isOfProgram(byte[] message) {
    return text(message).contains("stackweave.agent.apps.BurnsCpu.main");
  }

  private static String text(byte[] message) {
    return new String(message, StandardCharsets.ISO_8859_1);
  }
}
