package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.SystemCalls;
import stackweave.testing.ByChance;
import stackweave.testing.Jdk;

/** What is permitted decides which engine runs, and is said; the application runs on regardless. */
class EnginePermissionIT extends PermittedEngine {
  @ByChance
  @ParameterizedTest
  @MethodSource("stackweave.engine.EngineJvm#newest")
  void rootHasKernelFramesToo(Jdk jdk) throws Exception {
    assumeTrue(isRoot());
    EngineJvm.Result result = jvm.run(jdk, List.of(), "1000", "400", "0");

    assertEquals("PERF", result.line("engine"), result.output());
    assertEquals("", result.line("refusal"));
    assertCovered(result);
    assertTrue(Long.parseLong(result.line("withKernel")) > 0, result.output());
    assertRanOn(result);
  }

  @ByChance
  @ParameterizedTest
  @MethodSource("stackweave.engine.EngineJvm#newest")
  void anOrdinaryUserSamplesByTimers(Jdk jdk) throws Exception {
    int paranoid =
        Integer.parseInt(Files.readString(Path.of("/proc/sys/kernel/perf_event_paranoid")).strip());
    assumeTrue(paranoid == 2, () -> "kernel.perf_event_paranoid is " + paranoid);
    EngineJvm.Result result = jvm.run(jdk, ordinaryUser(), "1000", "400", "0");

    assertEquals("TIMER", result.line("engine"), result.output());
    assertEquals(
        "NOT_PERMITTED perf: this user may not sample CPUs (kernel.perf_event_paranoid is"
            + " 2); CAP_PERFMON with CAP_BPF lifts it [EACCES]",
        result.line("refusal"));
    assertCovered(result);
    assertEquals("0", result.line("withKernel"));
    assertRanOn(result);
  }

  @ByChance
  @ParameterizedTest
  @MethodSource("stackweave.engine.EngineJvm#oldest")
  void underASeccompFilterTimersSample(Jdk jdk) throws Exception {
    EngineJvm.Result result = jvm.run(jdk, denying(EPERM, perfEventOpen()), "1000", "400", "0");

    assertEquals("TIMER", result.line("engine"), result.output());
    assertEquals(
        "NOT_TRIED perf not tried: a seccomp filter may kill; engine=perf tries it",
        result.line("refusal"));
    assertCovered(result);
    assertRanOn(result);
  }

  /** The user's word that the filter kills nobody. */
  @ByChance
  @Test
  void whoNamesPerfHasItTried() throws Exception {
    EngineJvm.Result result =
        jvm.run(jdks().get(0), denying(EPERM, perfEventOpen()), "1000", "400", "0", "PERF");

    assertEquals("TIMER", result.line("engine"), result.output());
    String refusal = result.line("refusal");
    assertTrue(
        refusal.startsWith("BLOCKED perf: a filter") && refusal.endsWith("[EPERM]"), refusal);
    assertCovered(result);
    assertRanOn(result);
  }

  /** A filter as strict as that: neither perf events nor timers. */
  @Test
  void whereNothingIsAllowedOneLineEachSaysWhy() throws Exception {
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "numbers of x86-64");
    EngineJvm.Result result =
        jvm.run(jdks().get(0), denying(EPERM, perfEventOpen(), 222), "1000", "100", "0", "PERF");

    assertEquals("null", result.line("engine"), result.output());
    String[] refusals = result.line("refusal").split("\n");
    assertEquals(EngineKind.values().length, refusals.length, result.output());
    for (String refusal : refusals) {
      assertTrue(refusal.startsWith("BLOCKED "), refusal);
      assertTrue(refusal.contains("seccomp") && refusal.endsWith("[EPERM]"), refusal);
    }
    assertTrue(refusals[1].startsWith("BLOCKED timer: timer_create"), refusals[1]);
    assertRanOn(result);
  }
}
