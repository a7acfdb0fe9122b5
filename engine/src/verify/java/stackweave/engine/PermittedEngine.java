package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import stackweave.linux.SystemCalls;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/** An engine in a JVM under other limits, users and filters. */
abstract class PermittedEngine {
  static final int EPERM = 1;

  @TempDir static Path directory;
  static EngineJvm jvm;
  static String deny;

  @BeforeAll
  static void compile() throws Exception {
    jvm = new EngineJvm(directory);
    deny = Gcc.compile(directory, "deny.c", "deny").toString();
  }

  static List<Jdk> jdks() {
    return EngineJvm.jdks();
  }

  static List<String> ordinaryUser() throws Exception {
    return isRoot() ? user(65_534) : List.of();
  }

  static List<String> user(int uid) {
    return List.of(
        "setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups", "--bounding-set=-all");
  }

  static List<String> denying(int errno, int... calls) {
    String list = Arrays.stream(calls).mapToObj(Integer::toString).collect(Collectors.joining(","));
    return List.of(deny, Integer.toString(errno), list);
  }

  static int perfEventOpen() {
    return SystemCalls.current().orElseThrow() == SystemCalls.X86_64 ? 298 : 241;
  }

  static boolean isRoot() throws Exception {
    return Commands.output(List.of("id", "-u")).strip().equals("0");
  }

  static void assertCovered(EngineJvm.Result result) {
    double share = Double.parseDouble(result.line("covered"));
    assertTrue(share > 0.1 && share < 1.1, result.output());
    double explained = Double.parseDouble(result.line("explained"));
    assertTrue(explained > 0.6, result.output());
  }

  static void assertRanOn(EngineJvm.Result result) {
    assertEquals("12345678", result.line("memory"), result.output());
    assertEquals("done", result.line("application"), result.output());
    assertEquals(0, result.exit(), result.output());
    assertFalse(result.output().contains("SIGSEGV"));
  }
}
