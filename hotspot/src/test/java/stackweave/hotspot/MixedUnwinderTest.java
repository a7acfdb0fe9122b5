package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.unwind.Architecture;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.NativeUnwinder;

/** How stacks begin and end, and what a warm one costs. */
class MixedUnwinderTest {
  private static final long NOWHERE = 0x1234_5678L;

  private final Vm vm = new Vm();
  private final FrameBuffer frames = new FrameBuffer(1024);

  MixedUnwinderTest() throws Exception {}

  @Test
  void ofAThreadWithoutUserModeTheKernelsFramesAreAll() {
    StackSnapshot sample = new StackSnapshot(Architecture.X86_64);
    sample.clear();
    sample.kernelFrames()[0] = -64;
    sample.kernelFrames()[1] = -32;
    sample.setKernelFrameCount(2);
    vm.unwinder().unwind(sample, vm.modules, frames);
    assertEquals(StopReason.THREAD_ENTRY, frames.end());
    assertEquals(2, frames.count());
    assertEquals(FrameKind.KERNEL, frames.kind(1));
    assertEquals(-32, frames.pc(1));
    assertTrue(frames.isInterrupted(0) && !frames.isInterrupted(1));
    sample.setKernelFrameCount(0);
    vm.unwinder().unwind(sample, vm.modules, frames);
    assertEquals(StopReason.NO_REGISTERS, frames.end());
  }

  @Test
  void aPcInNoModuleIsShownAsUnknown() {
    vm.unwinder().unwind(sampleAt(NOWHERE), vm.modules, frames);
    assertEquals(StopReason.NO_MODULE, frames.end());
    assertEquals(1, frames.count());
    assertEquals(FrameKind.UNKNOWN, frames.kind(0));
  }

  @Test
  void withoutHotSpotItsFramesAreUnsupported() {
    MixedUnwinder unwinder = new MixedUnwinder(new NativeUnwinder(vm.rules), null, vm.methods);
    unwinder.unwind(sampleAt(vm.hotspot.callStubReturn()), vm.modules, frames);
    assertEquals(StopReason.UNSUPPORTED_VM, frames.end());
    assertEquals(1, frames.count());
  }

  @Test
  void aFailureEndsTheStackAndIsCounted() {
    CodeModules broken =
        new CodeModules() {
          @Override
          public int generation() {
            return 1;
          }

          @Override
          public CodeModule find(long pc) {
            throw new IllegalStateException("broken");
          }
        };
    MixedUnwinder unwinder = vm.unwinder();
    StackSnapshot sample = sampleAt(NOWHERE);
    sample.setKernelFrameCount(1);
    unwinder.unwind(sample, broken, frames);
    assertEquals(StopReason.INTERNAL_ERROR, frames.end());
    assertEquals(1, frames.count());
    assertEquals(1, unwinder.failures());
    assertEquals("broken", unwinder.lastFailure().getMessage());
  }

  /** Not even where a frame pointer leads to memory that can be read: the thread has run on. */
  @Test
  void aStackThatWasNotCopiedIsNotReadLater() throws Exception {
    withParkedThread(
        sample -> {
          MixedUnwinder unwinder = vm.unwinder();
          unwinder.unwind(sample, vm.modules, frames);
          assertTrue(frames.end().isComplete() && frames.count() > 3);
          sample.setElsewhere(vm.memory);
          sample.setStack(sample.registers().sp() - (2L << 30), 0);
          sample.setStackUnknown(true);
          unwinder.unwind(sample, vm.modules, frames);
          assertEquals(StopReason.STACK_UNKNOWN, frames.end());
          assertEquals(1, frames.count());
        });
  }

  @Test
  void aStackDeeperThanTheBufferKeepsWhatFits() throws Exception {
    FrameBuffer few = new FrameBuffer(5);
    withParkedThread(
        sample -> {
          vm.unwinder().unwind(sample, vm.modules, few);
          assertEquals(StopReason.TOO_DEEP, few.end());
          assertEquals(5, few.count());
        });
  }

  @Test
  void anInnermostFrameInEveryCodeBlobNeverFails() {
    // Registers that fit nothing: each way out must end in a reason, not in an exception.
    MixedUnwinder unwinder = vm.unwinder();
    long callStub = vm.hotspot.callStubReturn();
    for (long pc = callStub - (1 << 16); pc < callStub + (1 << 16); pc += 111) {
      unwinder.unwind(sampleAt(pc), vm.modules, frames);
      assertTrue(frames.count() > 0);
    }
    assertEquals(0, unwinder.failures(), () -> String.valueOf(unwinder.lastFailure()));
  }

  @Test
  void aWarmStackAllocatesNothing() throws Exception {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long self = Thread.currentThread().getId();
    withParkedThread(
        sample -> {
          MixedUnwinder unwinder = vm.unwinder();
          for (int i = 0; i < 20_000; i++) {
            unwinder.unwind(sample, vm.modules, frames);
          }
          assertTrue(frames.end().isComplete());
          long misses = unwinder.counters().pcMisses;
          long readsBefore = vm.memory.reads();
          long before = threads.getThreadAllocatedBytes(self);
          for (int i = 0; i < 10_000; i++) {
            unwinder.unwind(sample, vm.modules, frames);
          }
          long bytes = threads.getThreadAllocatedBytes(self) - before;
          long reads = vm.memory.reads() - readsBefore;
          assertEquals(misses, unwinder.counters().pcMisses);
          // The checks of each round read a little, and the reader of this test may allocate.
          assertTrue(bytes < 10_000L * 16, bytes + " bytes in 10,000 stacks");
          // Each of these samples is newer than the last look at the VM's two counts.
          assertTrue(reads < 21_000, reads + " reads in 10,000 stacks");
        });
  }

  /** The header of a blob is the only piece of its length. */
  @Test
  void codeThatWasReplacedWhileItWasDecodedIsDecodedAgain() throws Exception {
    LyingMemory memory = new LyingMemory(vm.memory);
    HotSpot hotspot = HotSpot.open(vm.modules.libjvm(), memory);
    int header = hotspot.layout().heapBlockSize + hotspot.layout().nmethodSize;
    MixedUnwinder unwinder = new MixedUnwinder(new NativeUnwinder(vm.rules), hotspot, vm.methods);
    withParkedThread(
        sample -> {
          unwinder.unwind(sample, vm.modules, frames);
          String expected = names();

          awaitNextRound();
          memory.lie(1, header);
          unwinder.unwind(sample, vm.modules, frames);
          assertEquals(expected, names());
          assertEquals(0, memory.lies());
          assertEquals(1, unwinder.counters().identityFailures);

          awaitNextRound();
          memory.lie(Integer.MAX_VALUE, header);
          unwinder.unwind(sample, vm.modules, frames);
          assertNotEquals(expected, names(), "nothing of the code cache is there any more");

          memory.lie(0, 0);
          awaitNextRound();
          unwinder.unwind(sample, vm.modules, frames);
          assertEquals(expected, names());
          assertEquals(0, unwinder.failures());
        });
  }

  /** What is known is compared again after 20 ms. */
  private static void awaitNextRound() throws InterruptedException {
    Thread.sleep(25);
  }

  @Test
  void tooManyNamesAreForgottenWithAllThatHasTheirIds() throws Exception {
    withParkedThread(
        sample -> {
          MixedUnwinder other = vm.unwinder();
          other.unwind(sample, vm.modules, frames);
          String expected = names();
          int enough = vm.methods.size();
          MixedUnwinder bounded =
              new MixedUnwinder(new NativeUnwinder(vm.rules), vm.hotspot, vm.methods, enough);
          for (int i = 0; i < 10; i++) {
            vm.methods.intern(new HotSpotMethod("Hidden/0x" + i, "run", "()V", 0, ""));
            bounded.unwind(sample, vm.modules, frames);
            assertEquals(expected, names());
            assertTrue(vm.methods.size() <= enough + 1);
          }
          assertTrue(bounded.counters().nameResets > 0);
          assertEquals(bounded.counters().nameResets, vm.methods.generation());
          // Another unwinder with the same names notices.
          other.unwind(sample, vm.modules, frames);
          assertEquals(expected, names());
        });
  }

  private String names() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < frames.count(); i++) {
      boolean java = frames.method(i) != FrameBuffer.NO_METHOD;
      text.append(java ? vm.methods.get(frames.method(i)) : frames.pc(i)).append('\n');
    }
    return text.toString();
  }

  private StackSnapshot sampleAt(long pc) {
    StackSnapshot sample = new StackSnapshot(Architecture.X86_64);
    sample.clear();
    sample.setElsewhere(vm.memory);
    long sp = 0x7000_0000_0000L;
    for (int i = 0; i < 16; i++) {
      sample.registers().set(i, sp + 64L * i);
    }
    sample.registers().set(7, sp);
    sample.registers().setPc(pc);
    sample.setHasRegisters(true);
    sample.setStack(sp, 4096);
    return sample;
  }

  private interface Check {
    void on(StackSnapshot sample) throws Exception;
  }

  private void withParkedThread(Check check) throws Exception {
    CountDownLatch stop = new CountDownLatch(1);
    int[] tid = new int[1];
    Thread thread = new Thread(() -> park(tid, stop));
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.sleep(1);
    }
    try {
      check.on(parked(tid[0]));
    } finally {
      stop.countDown();
      thread.join();
    }
  }

  private StackSnapshot parked(int tid) throws Exception {
    while (true) {
      try {
        return ParkedThread.snapshot(tid, vm.memory);
      } catch (IllegalStateException e) {
        Thread.sleep(1); // on its way into the system call
      }
    }
  }

  private static void park(int[] tid, CountDownLatch stop) {
    try {
      tid[0] =
          Integer.parseInt(
              java.nio.file.Path.of("/proc/thread-self").toRealPath().getFileName().toString());
      stop.await();
    } catch (InterruptedException | java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
