package stackweave.agent.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  /** The JVM takes the last one, of these places in their order. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "java -XX:+F Main                       | HOME=/                  | true",
        "java -XX:+F -XX:-F Main                | HOME=/                  | false",
        "java -XX:+FG Main                      | HOME=/                  | false",
        "java -cp x -XX:+F -jar app.jar         | HOME=/                  | true",
        "java --add-opens a/b=c -XX:+F -m m/M   | HOME=/                  | true",
        "java -cp x Main -XX:+F                 | HOME=/                  | false",
        "java -jar app.jar -XX:+F               | HOME=/                  | false",
        "java --module m/Main -XX:+F            | HOME=/                  | false",
        "java Main                              | JAVA_TOOL_OPTIONS=-XX:+F | true",
        "java -XX:-F Main                       | JAVA_TOOL_OPTIONS=-XX:+F | false",
        "java -XX:-F Main                       | _JAVA_OPTIONS=-XX:+F     | true",
        "java -XX:-F Main                       | JDK_JAVA_OPTIONS=-XX:+F  | false",
      })
  void theLastOptionOfTheJvmCounts(String command, String environment, boolean isOn) {
    assertEquals(
        isOn, JavaOptions.isOn("F", command.replace(' ', '\0') + '\0', environment + '\0'));
  }
}
