package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.Found;

/** Native frames that nothing leads out of: the stack goes on at the last Java frame. */
class LastJavaFrameTest {
  private static final long NOWHERE = 0x1234_5678L;

  private final Vm vm = new Vm();
  private final WaitingThread thread = new WaitingThread();
  private final FrameBuffer whole = new FrameBuffer(256);
  private final FrameBuffer frames = new FrameBuffer(256);
  private StackSnapshot sample;
  private int firstJava;

  /** With code that can't be read; of a library that is gone the search would believe less. */
  private final CodeModules modules =
      new CodeModules() {
        @Override
        public int generation() {
          return vm.modules.generation();
        }

        @Override
        public CodeModule find(long pc) {
          return vm.modules.find(pc);
        }

        @Override
        public boolean isExecutable(long pc) {
          return pc == NOWHERE || vm.modules.isExecutable(pc);
        }
      };

  LastJavaFrameTest() throws Exception {}

  @BeforeEach
  void park() throws Exception {
    sample = thread.snapshot(vm.memory);
    vm.unwinder().unwind(sample, vm.modules, whole);
    assertEquals(StopReason.COMPLETE, whole.end());
    while (whole.kind(firstJava) == FrameKind.NATIVE) {
      firstJava++;
    }
    // In nothing, with nothing on the stack that leads out of it.
    sample.registers().setPc(NOWHERE);
    ByteBuffer stack = ByteBuffer.wrap(sample.stackBytes()).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; stack.getLong(at) != whole.pc(firstJava); at += Long.BYTES) {
      stack.putLong(at, 0);
    }
  }

  @AfterEach
  void unpark() throws Exception {
    thread.end();
  }

  private long javaThread() {
    return vm.hotspot.threads().all().stream()
        .filter(t -> t.osThreadId() == sample.tid())
        .findFirst()
        .orElseThrow()
        .address();
  }

  @Test
  void theFramesBetweenAreMissingAndTheStackIsNotComplete() {
    // The search would find it, too: so it must not be a return address for the search's walks.
    hide();
    sample.setJavaThread(javaThread());
    vm.unwinder().unwind(sample, modules, frames);
    assertEquals(StopReason.GAP, frames.end());
    assertEquals("[missing frames]", vm.methods.get(frames.method(1)).name());
    assertEquals(Found.AFTER_GAP, frames.found(2));
    assertEquals(pcs(whole, firstJava), pcs(frames, 2));
  }

  private static List<Long> pcs(FrameBuffer frames, int from) {
    return IntStream.range(from, frames.count()).mapToObj(frames::pc).toList();
  }

  /** Return addresses that lead nowhere come first, more of them than the search tries. */
  private void hide() {
    ByteBuffer stack = ByteBuffer.wrap(sample.stackBytes()).order(ByteOrder.LITTLE_ENDIAN);
    int javaAt = 0;
    while (stack.getLong(javaAt) != whole.pc(firstJava)) {
      javaAt += Long.BYTES;
    }
    assertTrue(javaAt > 40 * Long.BYTES, "room on the stack");
    for (int at = Long.BYTES; at < 40 * Long.BYTES; at += Long.BYTES) {
      stack.putLong(at, whole.pc(firstJava - 1));
    }
  }

  /**
   * Those are not believed where the library is gone: they call another function by its address.
   */
  @Test
  void onlyACallThroughAPointerHasLedIntoALibraryThatIsGone() {
    hide();
    vm.unwinder().unwind(sample, vm.modules, frames);
    // Another word may be taken for a caller, which is marked as found by a search.
    assertTrue(frames.count() == 1 || frames.end() == StopReason.SEARCHED, frames.end().name());
    assertTrue(frames.count() == 1 || frames.pc(1) != whole.pc(firstJava - 1));
  }

  @Test
  void ofAThreadThatIsNotKnownNothingIsGuessed() {
    hide();
    vm.unwinder().unwind(sample, modules, frames);
    assertEquals(StopReason.NO_MODULE, frames.end());
    assertEquals(1, frames.count());
  }

  @Test
  void whatIsNoReturnAddressIsNotBelieved() {
    hide();
    sample.setJavaThread(javaThread());
    ByteBuffer stack = ByteBuffer.wrap(sample.stackBytes()).order(ByteOrder.LITTLE_ENDIAN);
    int at = 0;
    while (stack.getLong(at) != whole.pc(firstJava)) {
      at += Long.BYTES;
    }
    stack.putLong(at, whole.pc(firstJava) + 1);
    vm.unwinder().unwind(sample, modules, frames);
    assertEquals(StopReason.NO_MODULE, frames.end());
    assertEquals(1, frames.count());
  }
}
