package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.engine.perf.filter.ProcessFilter;
import stackweave.linux.Libc;
import stackweave.linux.SystemCalls;
import stackweave.testing.Commands;

/** Of other processes nothing is copied where the kernel runs a program that filters. */
class CopiedMemoryIT {
  @TempDir static Path directory;

  @BeforeAll
  static void aProgramMayFilter() {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    assumeTrue(calls == SystemCalls.X86_64, "the records are those of x86-64");
    ProcessFilter filter = ProcessFilter.open(calls, calls.gettid(), 2, 10_000_000, 65_528);
    assumeTrue(filter != null, "this user may not load BPF programs");
    filter.close();
  }

  @Test
  void withTheFilterNothingOfAnotherProcessIsCopied() throws Exception {
    assertOnlyOwn(copied("filtered"));
  }

  /** The same look finds what is there. */
  @Test
  void withoutAFilterTheSecretIsFound() throws Exception {
    CopiedMemory copied = copied("unfiltered");
    assertTrue(copied.own() > 0, copied::toString);
    assertTrue(copied.others() > 0, copied::toString);
    assertTrue(copied.secrets() > 1_000, copied::toString);
  }

  /** As in a container, whose processes have other numbers. */
  @Test
  void inAnotherNamespaceOfNumbersNothingIsCopiedEither() throws Exception {
    assumeTrue(Commands.exist("unshare") && Libc.geteuid() == 0, "namespaces are made by root");
    assertOnlyOwn(copied("filtered", "unshare", "--pid", "--fork", "--mount-proc"));
  }

  /** In a JVM of its own: all rings that it finds are read, and no other test closes them. */
  private static CopiedMemory copied(String filter, String... wrapper) throws Exception {
    List<String> command = new ArrayList<>(List.of(wrapper));
    String path = System.getProperty("java.class.path");
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("surefire.test.class.path", path)));
    command.addAll(List.of(CopiedMemory.class.getName(), directory.toString(), filter));
    String printed = Commands.output(command);
    Matcher figures =
        Pattern.compile("CopiedMemory\\[own=(\\d+), others=(\\d+), secrets=(\\d+)]")
            .matcher(printed.strip());
    assertTrue(figures.matches(), printed);
    return new CopiedMemory(
        Integer.parseInt(figures.group(1)),
        Integer.parseInt(figures.group(2)),
        Integer.parseInt(figures.group(3)));
  }

  private static void assertOnlyOwn(CopiedMemory copied) {
    assertTrue(copied.own() > 0, copied::toString);
    assertEquals(0, copied.others(), copied::toString);
    assertEquals(0, copied.secrets(), copied::toString);
  }
}
