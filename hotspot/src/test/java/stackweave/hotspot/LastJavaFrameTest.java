package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.Found;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/** Native frames that nothing leads out of: the stack goes on at the last Java frame. */
class LastJavaFrameTest {
  private final Vm vm = new Vm();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final FrameBuffer whole = new FrameBuffer(256);
  private final FrameBuffer frames = new FrameBuffer(256);
  private Thread thread;
  private StackSnapshot sample;
  private int firstJava;

  LastJavaFrameTest() throws Exception {}

  @BeforeEach
  void park() throws Exception {
    int[] tid = new int[1];
    thread =
        new Thread(
            () -> {
              try {
                Path self = Path.of("/proc/thread-self").toRealPath();
                tid[0] = Integer.parseInt(self.getFileName().toString());
                stop.await();
              } catch (InterruptedException | java.io.IOException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.start();
    while (sample == null) {
      try {
        Thread.sleep(1);
        boolean parked = thread.getState() == Thread.State.WAITING;
        sample = parked ? ParkedThread.snapshot(tid[0], vm.memory) : null;
      } catch (IllegalStateException e) {
        sample = null; // on its way into the system call
      }
    }
    vm.unwinder().unwind(sample, vm.modules, whole);
    assertEquals(StopReason.COMPLETE, whole.end());
    while (whole.kind(firstJava) == FrameKind.NATIVE) {
      firstJava++;
    }
    // In nothing, with nothing on the stack that leads out of it.
    sample.registers().setPc(0x1234_5678L);
    ByteBuffer stack = ByteBuffer.wrap(sample.stackBytes()).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; stack.getLong(at) != whole.pc(firstJava); at += Long.BYTES) {
      stack.putLong(at, 0);
    }
  }

  @AfterEach
  void unpark() throws Exception {
    stop.countDown();
    thread.join();
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
    vm.unwinder().unwind(sample, vm.modules, frames);
    assertEquals(StopReason.GAP, frames.end());
    assertEquals("[missing frames]", vm.methods.get(frames.method(1)).name());
    assertEquals(Found.AFTER_GAP, frames.found(2));
    List<Long> expected = new ArrayList<>();
    for (int i = firstJava; i < whole.count(); i++) {
      expected.add(whole.pc(i));
    }
    List<Long> found = new ArrayList<>();
    for (int i = 2; i < frames.count(); i++) {
      found.add(frames.pc(i));
    }
    assertEquals(expected, found);
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

  @Test
  void ofAThreadThatIsNotKnownNothingIsGuessed() {
    hide();
    vm.unwinder().unwind(sample, vm.modules, frames);
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
    vm.unwinder().unwind(sample, vm.modules, frames);
    assertEquals(StopReason.NO_MODULE, frames.end());
    assertEquals(1, frames.count());
  }
}
