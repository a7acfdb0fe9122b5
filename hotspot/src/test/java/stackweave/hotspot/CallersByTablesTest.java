package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.Location;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;

/** Unwind tables that are wrong at one address: what they lead to is believed only if it can be. */
class CallersByTablesTest {
  private static final int RSP = 7;
  private static final int R15 = 15;

  private final Vm vm = new Vm();
  private final WaitingThread thread = new WaitingThread();
  private final FrameBuffer whole = new FrameBuffer(256);
  private final FrameBuffer frames = new FrameBuffer(256);
  private StackSnapshot sample;

  CallersByTablesTest() throws Exception {}

  @BeforeEach
  void park() throws Exception {
    sample = thread.snapshot(vm.memory);
    vm.unwinder().unwind(sample, vm.modules, whole);
    assertEquals(StopReason.COMPLETE, whole.end());
  }

  @AfterEach
  void unpark() throws Exception {
    thread.end();
  }

  /** Unwinds with another rule at one address. */
  private void unwind(long wrongAt, Consumer<RuleBuilder> says) {
    vm.unwinder().unwind(sample, wrong(wrongAt, says), frames);
  }

  private CodeModules wrong(long wrongAt, Consumer<RuleBuilder> says) {
    RuleBuilder builder = new RuleBuilder(vm.rules.architecture());
    says.accept(builder);
    int rule = vm.rules.intern(builder);
    UnwindTable table = address -> rule;
    CodeModule wrong =
        new CodeModule() {
          @Override
          public long bias() {
            return 0;
          }

          @Override
          public UnwindTable unwindTable() {
            return table;
          }
        };
    return new CodeModules() {
      @Override
      public int generation() {
        return vm.modules.generation();
      }

      @Override
      public CodeModule find(long pc) {
        return pc == wrongAt ? wrong : vm.modules.find(pc);
      }
    };
  }

  /** At the system call that the thread waits in: its code tells the caller. */
  private void assertNotBelieved(long caller) {
    sample.registers().set(R15, caller);
    unwind(
        sample.registers().pc(),
        rule -> {
          rule.setCfa(RSP, 32);
          rule.ra = Location.of(Location.REGISTER_PLUS, R15, 0);
        });
    assertWhole();
  }

  private void assertWhole() {
    assertEquals(pcs(whole), pcs(frames));
    assertEquals(StopReason.COMPLETE, frames.end());
  }

  private static List<Long> pcs(FrameBuffer frames) {
    return IntStream.range(0, frames.count()).mapToObj(frames::pc).toList();
  }

  @Test
  void behindNoCall() throws Exception {
    byte[] before = new byte[vm.hotspot.cpu().code.lengths.call()];
    for (long function : vm.modules.libcFunctions()) {
      vm.memory.read(function - before.length, before, 0, before.length);
      if (!vm.hotspot.cpu().code.isCallBefore(before, before.length)) {
        assertNotBelieved(function);
        assertReadOnce();
        return;
      }
    }
    fail("each function of libc is behind a call");
  }

  /** What is before an address is read once, whether it is a call or not. */
  private void assertReadOnce() {
    CodeModules wrong =
        wrong(
            sample.registers().pc(),
            rule -> {
              rule.setCfa(RSP, 32);
              rule.ra = Location.of(Location.REGISTER_PLUS, R15, 0);
            });
    // Of an interrupted frame without tables it is asked each time whether it is a system call.
    assertEquals(readsOfAThirdWalk(vm.modules) + 1, readsOfAThirdWalk(wrong));
  }

  private long readsOfAThirdWalk(CodeModules modules) {
    MixedUnwinder unwinder = vm.unwinder();
    unwinder.unwind(sample, modules, frames);
    unwinder.unwind(sample, modules, frames);
    long before = vm.memory.reads();
    unwinder.unwind(sample, modules, frames);
    return vm.memory.reads() - before;
  }

  @Test
  void inAJavaMethodThatIsNotNative() {
    int java = 0;
    while (whole.kind(java) == FrameKind.NATIVE || whole.kind(java) == FrameKind.NATIVE_METHOD) {
      java++;
    }
    assertTrue(whole.kind(java) != FrameKind.STUB);
    assertNotBelieved(whole.pc(java));
  }

  @Test
  void thatDoesNotLieFurtherOut() {
    unwind(
        sample.registers().pc(),
        rule -> {
          rule.setCfa(RSP, -64);
          rule.ra = Location.atCfa(-8);
        });
    assertWhole();
  }

  /** In a function that waits for a call: the stack itself is no code. */
  @Test
  void inData() {
    for (int i = 1; whole.kind(i) == FrameKind.NATIVE; i++) {
      unwind(
          whole.pc(i) - 1,
          rule -> {
            rule.setCfa(RSP, 64);
            rule.ra = Location.of(Location.REGISTER_PLUS, RSP, 0);
          });
      assertTrue(
          frames.end() != StopReason.COMPLETE || pcs(whole).equals(pcs(frames)),
          frames.end().name());
      assertFalse(
          IntStream.range(0, frames.count())
              .anyMatch(k -> frames.kind(k) == FrameKind.UNKNOWN && frames.pc(k) != 0));
      assertTrue(frames.hasUnknownCode(), "the modules may have changed");
    }
  }
}
