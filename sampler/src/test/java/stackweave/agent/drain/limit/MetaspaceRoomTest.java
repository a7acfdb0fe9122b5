package stackweave.agent.drain.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetaspaceRoomTest {
  private static final long MIB = 1L << 20;

  @ParameterizedTest
  @CsvSource({
    "16m, 16777216", "16M, 16777216", "2k, 2048", "1g, 1073741824", "1T, 1099511627776",
    "16777216, 16777216", "18446744073709547520, -1", "9999999999g, -1", "'', -1", "m, -1",
    "0x10m, -1"
  })
  void sizesAreReadAsTheVmDoes(String text, long bytes) {
    assertEquals(bytes, MetaspaceRoom.bytes(text));
  }

  @Test
  void withoutLimitsThereIsRoom() {
    assertNull(new MetaspaceRoom(new String[] {"-Xmx64m", "-XX:MetaspaceSize=5m"}).whyNot(1));
  }

  @Test
  void smallLimitsAreToldFromTheArgumentsAlone() {
    String whyNot = new MetaspaceRoom(new String[] {"-XX:MaxMetaspaceSize=8m"}).whyNot(1);
    assertTrue(whyNot.contains("-XX:MaxMetaspaceSize=8m"), whyNot);
  }

  @Test
  void theLastLimitCounts() {
    String[] first = {"-XX:MaxMetaspaceSize=8m", "-XX:MaxMetaspaceSize=4g"};
    assertNull(new MetaspaceRoom(first).whyNot(1));
  }

  @Test
  void whatIsLeftCounts() {
    assertNull(MetaspaceRoom.used(12 * MIB, 2 * MIB, 1));
    assertNull(MetaspaceRoom.used(Long.MAX_VALUE, Long.MAX_VALUE, 1));
    assertNotNull(MetaspaceRoom.used(12 * MIB - 1, 2 * MIB, 1));
    assertNotNull(MetaspaceRoom.used(12 * MIB, 2 * MIB - 1, 1));
  }
}
