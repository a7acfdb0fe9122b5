package stackweave.engine.timer.threads;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.engine.KernelVersion;
import stackweave.unwind.Architecture;

class CpuTimersTest {
  @Test
  void timersOfOldKernelsInterruptCalls() {
    assertTrue(mayInterrupt(Architecture.X86_64, "4.18.0-553.el8.x86_64"));
    assertTrue(mayInterrupt(Architecture.X86_64, "5.4.0-190-generic"));
    assertTrue(mayInterrupt(Architecture.X86_64, "5.8.18"));
    assertFalse(mayInterrupt(Architecture.X86_64, "5.9.0"));
    assertFalse(mayInterrupt(Architecture.X86_64, "5.10.0-33-amd64"));
    assertFalse(mayInterrupt(Architecture.X86_64, "6.18.44-fc-v445"));
    assertTrue(mayInterrupt(Architecture.AARCH64, "6.1.0"));
    assertFalse(mayInterrupt(Architecture.AARCH64, "6.12.1"));
  }

  private static boolean mayInterrupt(Architecture architecture, String release) {
    return CpuTimers.mayInterruptCalls(architecture, KernelVersion.of(release));
  }
}
