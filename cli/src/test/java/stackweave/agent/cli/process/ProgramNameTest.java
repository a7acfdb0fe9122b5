package stackweave.agent.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a JVM runs, as its command line says. */
class ProgramNameTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "java a.Main b.Main                                   | a.Main",
        "/jdk/bin/java -Xmx1g -cp x:y --add-opens a/b=c a.Main| a.Main",
        "java -jar -Xint /opt/app.jar                         | /opt/app.jar",
        "java -XX:+UseZGC -jar /opt/app.jar a.Main            | /opt/app.jar",
        "java -p mods -m app/a.Main                           | app/a.Main",
        "java --module=app/a.Main x                           | app/a.Main",
        "java @options a.Main                                 | a.Main",
        "java -Xint @options                                  | @options",
        "java Main.java -jar                                  | Main.java",
        "java -version                                        | java",
        "/opt/app/bin/app -x a.Main                           | /opt/app/bin/app",
      })
  void isTheMainClassOrTheJar(String line, String name) {
    assertEquals(name, ProgramName.of(List.of(line.split(" +"))));
  }

  /** As of a process that has overwritten them. */
  @Test
  void ofNoWordsIsEmpty() {
    assertEquals("", ProgramName.of(List.of("")));
  }
}
