package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.engine.perf.PerfRefusals;
import stackweave.jfr.control.EngineKind;

/** Every answer of the kernel has its reason, and its cure where there is one. */
class PerfRefusalsTest {
  /** Every answer of the kernel has its reason, and its cure where there is one. */
  @ParameterizedTest
  @CsvSource({
    "EPERM, 1, BLOCKED, seccomp",
    "ENOENT, 2, ABSENT, CONFIG_PERF_EVENTS",
    "EMFILE, 24, FILE_DESCRIPTORS, ulimit -n",
    "ENFILE, 23, FILE_DESCRIPTORS, fs.file-max",
    "ENOMEM, 12, RING_MEMORY, no memory",
    "EINVAL, 22, UNSUPPORTED_KERNEL, Linux 4.8",
    "errno 5, 5, UNSUPPORTED_KERNEL, Linux 4.8"
  })
  void everyAnswerHasItsReason(String name, int errno, EngineRefusal.Reason reason, String part) {
    EngineRefusal refusal = PerfRefusals.open(EngineKind.PERF, true, errno).refusal();

    assertEquals(reason, refusal.reason());
    assertTrue(refusal.line().contains(part), refusal.line());
    assertTrue(refusal.line().endsWith(" [" + name + "]"), refusal.line());
  }

  /** Debian's and Ubuntu's kernels know 3 and 4; what is allowed and yet refused, others refuse. */
  @ParameterizedTest
  @CsvSource({
    "PERF, 1, NOT_PERMITTED, sample CPUs",
    "PERF, 2, NOT_PERMITTED, CAP_PERFMON with CAP_BPF lifts it",
    "PERF, 0, BLOCKED, SELinux",
    "PERF_THREAD, 2, NOT_PERMITTED, perf_event_paranoid=1",
    "PERF, 3, NOT_PERMITTED, CAP_SYS_ADMIN lifts it",
    "PERF_THREAD, 4, NOT_PERMITTED, sample kernel mode",
    "PERF_THREAD, 3, NOT_PERMITTED, or CAP_SYS_ADMIN",
    "PERF_THREAD, 1, BLOCKED, SELinux",
    "PERF_USER, 3, NOT_PERMITTED, perf_event_paranoid=2",
    "PERF_USER, 2, BLOCKED, SELinux",
  })
  void whatParanoidForbidsIsToldFromAPolicy(
      EngineKind engine, int paranoid, EngineRefusal.Reason reason, String part) {
    EngineRefusal refusal =
        PerfRefusals.notPermitted(engine, engine != EngineKind.PERF_USER, paranoid).refusal();

    assertEquals(reason, refusal.reason());
    assertTrue(refusal.line().contains(part), refusal.line());
    assertTrue(refusal.line().contains("kernel.perf_event_paranoid is " + paranoid));
    assertTrue(refusal.line().endsWith(" [EACCES]"), refusal.line());
  }

  @Test
  void theCapabilityIsThatOfTheKernel() {
    assertEquals("CAP_SYS_ADMIN", PerfRefusals.capability("4.19.0-26-amd64"));
    assertEquals("CAP_SYS_ADMIN", PerfRefusals.capability("5.4.0"));
    assertEquals("CAP_PERFMON", PerfRefusals.capability("5.10.0"));
    assertEquals("CAP_PERFMON", PerfRefusals.capability("6.1.0"));
  }
}
