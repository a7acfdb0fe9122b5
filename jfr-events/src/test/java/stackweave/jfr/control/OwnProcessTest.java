package stackweave.jfr.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OwnProcessTest {
  private static final long TICK_MILLIS = 10;

  @Test
  void saysWhatTheJdkSays() {
    ProcessHandle.Info jdk = ProcessHandle.current().info();
    assertEquals(ProcessHandle.current().pid(), OwnProcess.pid());
    long start = jdk.startInstant().orElseThrow().toEpochMilli();
    assertTrue(Math.abs(start - OwnProcess.startMillis()) <= TICK_MILLIS);
  }
}
