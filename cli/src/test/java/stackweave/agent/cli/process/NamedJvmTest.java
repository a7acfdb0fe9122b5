package stackweave.agent.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.JvmSearch.Jvm;

/** The word in place of a process id. */
class NamedJvmTest {
  private static final int ROOT = 0;
  private static final int USER = 4_000_111;
  private static final int OTHER = 4_000_112;

  private static final List<Jvm> JVMS =
      List.of(
          new Jvm(11, "1", USER, "com.example.Orders"),
          new Jvm(12, "1", USER, "/opt/bills/bills.jar"),
          new Jvm(13, "1", USER, "com.example.OrdersExport"),
          new Jvm(14, "1", ROOT, "com.example.Mail"),
          new Jvm(15, "1", OTHER, "com.example.Mail"),
          new Jvm(16, "1", OTHER, "com.example.Theirs\n\033[2J"));

  @ParameterizedTest
  @CsvSource({"bills.jar, 12", "/opt/BILLS/, 12", "OrdersE, 13", "sexp, 13"})
  void aPartIsEnough(String word, long pid) throws Exception {
    assertEquals(pid, NamedJvm.chosen(word, USER, JVMS).pid());
  }

  @Test
  void aNumberIsAProcessId() throws Exception {
    assertEquals(4711, NamedJvm.pid("4711"));
    assertEquals(999_999_999_999L, NamedJvm.pid("999999999999"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4000111 | orders  | 'orders' fits 2 JVMs: 11 com.example.Orders, 13 com.example.OrdersExport: give the process id",
        "4000111 | Mail    | no JVM of yours has 'Mail' in the name of its main class or jar; .*",
        "4000111 | nothing | no JVM of yours has 'nothing' in .*",
        "0       | nothing | no JVM has 'nothing' in .*",
        "0       | Mail    | 'Mail' fits 2 JVMs: 14 com.example.Mail, 15 com.example.Mail \\(.*4000112.*'s\\): give .*",
        "0       | Theirs  | 'Theirs' fits a JVM of another user only, 16 com.example.Theirs \\?\\[2J \\(.*4000112.*'s\\): give .*",
      })
  void whatDoesNotNameOneIsSaid(int own, String word, String message) {
    String said =
        assertThrows(FailedException.class, () -> NamedJvm.chosen(word, own, JVMS)).getMessage();
    assertTrue(said.matches(message), said);
  }

  /** A list that fills a terminal helps nobody. */
  @Test
  void ofManyTheFirstAreListed() {
    List<Jvm> many =
        IntStream.range(1, 31).mapToObj(pid -> new Jvm(pid, "1", USER, "App")).toList();
    String said =
        assertThrows(FailedException.class, () -> NamedJvm.chosen("app", USER, many)).getMessage();
    assertTrue(said.endsWith(", 10 App and 20 more: give the process id"), said);
  }
}
