package stackweave.engine.timer.threads;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;

class CpuTimersTest {
  @Test
  void timersOfOldKernelsInterruptCalls() {
    assertTrue(CpuTimers.mayInterruptCalls(Architecture.X86_64, "4.18.0-553.el8.x86_64\n"));
    assertTrue(CpuTimers.mayInterruptCalls(Architecture.X86_64, "5.4.0-190-generic\n"));
    assertTrue(CpuTimers.mayInterruptCalls(Architecture.X86_64, "5.8.18\n"));
    assertFalse(CpuTimers.mayInterruptCalls(Architecture.X86_64, "5.9.0\n"));
    assertFalse(CpuTimers.mayInterruptCalls(Architecture.X86_64, "5.10.0-33-amd64\n"));
    assertFalse(CpuTimers.mayInterruptCalls(Architecture.X86_64, "6.18.44-fc-v445\n"));
    assertTrue(CpuTimers.mayInterruptCalls(Architecture.AARCH64, "6.1.0\n"));
    assertFalse(CpuTimers.mayInterruptCalls(Architecture.AARCH64, "6.12.1\n"));
  }
}
