package stackweave.agent.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What the kernel shows of the options of a JVM. */
class JavaOptionsTest {
  @Test
  void anArgumentIsOneOptionWhateverIsInIt() {
    assertEquals(
        List.of("java", "-javaagent:/my job@2/50%20 a+b #1\n/ä.jar", "-Dx=y -javaagent:z", "Main"),
        JavaOptions.of(
            "java\0-javaagent:/my job@2/50%20 a+b #1\n/ä.jar\0-Dx=y -javaagent:z\0Main\0", ""));
  }

  @Test
  void variablesAreTakenApartAsByTheJvm() {
    assertEquals(
        List.of("java", "-javaagent:/a b/it's.jar=x", "-Xmx1g", "-Da=", "-Db"),
        JavaOptions.of(
            "java\0",
            "HOME=/-Xint\0JAVA_TOOL_OPTIONS= -javaagent:'/a b'\"/it's\".jar=x\t\n-Xmx1g \0"
                + "MY_JAVA_OPTIONS=-Xint\0JDK_JAVA_OPTIONS=-Da=\"\"\0_JAVA_OPTIONS=-Db\0"));
  }
}
