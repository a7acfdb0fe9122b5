package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** What the launcher would pass to main(). */
class CommandTest {
  private static String[] arguments(String commandLine) {
    return Command.arguments(commandLine.split("\0", -1), "/my lib/sw.jar");
  }

  @Test
  void argumentsAreThoseBehindTheJar() {
    assertArrayEquals(
        new String[] {"top", "", "a b.jfr"},
        arguments("java\0-Xmx1g\0-jar\0/my lib/sw.jar\0top\0\0a b.jfr\0"));
    assertArrayEquals(
        new String[] {"top", "-javaagent:x"},
        arguments("java\0-jar\0/my lib/sw.jar\0top\0-javaagent:x\0"));
    assertArrayEquals(new String[0], arguments("java\0-jar\0/my lib/sw.jar\0"));
  }

  @Test
  void aLookAtTheCommandThatIsAskedForStays() {
    assertNull(arguments("java\0-javaagent:/my lib/sw.jar\0-jar\0/my lib/sw.jar\0top\0"));
    assertNull(arguments("java\0-XX:StartFlightRecording\0-jar\0/my lib/sw.jar\0top\0"));
    assertNull(arguments("java\0@options\0top\0"));
  }
}
