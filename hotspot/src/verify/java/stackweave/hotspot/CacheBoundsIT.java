package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import stackweave.hotspot.frame.Callers;
import stackweave.hotspot.frame.LinkCheck;
import stackweave.hotspot.frame.Walk;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.snapshot.StackSnapshot;

/** Caches that are asked for more than they hold are emptied, and say so. */
class CacheBoundsIT {
  private final Vm vm = new Vm();
  private final UnwindCounters counters = new UnwindCounters();
  private final Callers callers =
      new FrameStepper(vm.hotspot, null, vm.methods, counters).callers();

  CacheBoundsIT() throws Exception {}

  @Test
  void pcsOfTheCodeCache() {
    long near = vm.hotspot.callStubReturn();
    int asked = 0;
    for (long pc = near - (1 << 20); asked < 40_000 && pc < near + (16 << 20); pc++) {
      if (vm.hotspot.codelets().find(pc) != null) {
        callers.isInCompiledCode(pc);
        asked++;
      }
    }
    assertEquals(40_000, asked);
    assertTrue(counters.cacheResets > 0);
    assertTrue(counters.pcMisses >= asked);
  }

  @Test
  void returnAddressesInNativeCode() {
    Registers registers = new Registers(Architecture.X86_64);
    Walk walk =
        new Walk(
            registers,
            vm.hotspot.cpu(),
            LinkCheck.staleCode(vm.methods),
            vm.hotspot.unloading(),
            callers,
            counters);
    StackSnapshot sample = new StackSnapshot(Architecture.X86_64);
    sample.setElsewhere(vm.memory);
    walk.begin(sample, vm.modules, new FrameBuffer(8));
    long from = vm.modules.libjvm().addressOf("JNI_CreateJavaVM") & -0x1000L;
    int found = 0;
    for (long pc = from - (1 << 20); pc < from + (1 << 20); pc++) {
      found += callers.isReturnAddress(walk, pc) ? 1 : 0;
    }
    assertTrue(found > 3_072, found + " return addresses");
    assertTrue(counters.cacheResets > 0);
  }
}
