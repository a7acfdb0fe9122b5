package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.replay.ModuleDescriptions.ModuleDescription;
import stackweave.hotspot.replay.RecordedLines;
import stackweave.hotspot.replay.Replay;
import stackweave.hotspot.replay.ReplayFile;
import stackweave.hotspot.replay.ReplayFormatException;
import stackweave.hotspot.replay.ReplayReader;
import stackweave.hotspot.replay.ReplayWriter;
import stackweave.hotspot.replay.SampleRecorder;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.unwind.StopReason;
import stackweave.unwind.snapshot.StackSnapshot;

/** A sample of this JVM goes into a file and comes out as the same frames. */
class RecordedSampleTest {
  private final Vm vm = new Vm();
  private final SampleRecorder recorder =
      new SampleRecorder(
          vm.modules.libjvm(), vm.memory, vm.rules, Map.of(ReplayFile.JVM, "this"), 1024);
  private final WaitingThread thread = new WaitingThread();
  private StackSnapshot sample;

  RecordedSampleTest() throws Exception {}

  @BeforeEach
  void park() throws Exception {
    sample = thread.snapshot(vm.memory);
  }

  @AfterEach
  void unpark() throws Exception {
    thread.end();
  }

  private ModuleDescription describe(long pc) {
    ProcessModules.Module module = vm.modules.find(pc);
    return new ModuleDescription(module.path(), "", module.start(), module.end(), "");
  }

  private ReplayFile record() {
    return recorder.record(sample, vm.modules, this::describe);
  }

  @Test
  void isReplayedAsItWasUnwound() throws Exception {
    FrameBuffer live = new FrameBuffer(1024);
    vm.unwinder().unwind(sample, vm.modules, live);
    assertEquals(StopReason.COMPLETE, live.end());
    ReplayFile file = ReplayReader.read(ReplayWriter.toBytes(record()));
    FrameBuffer replayed = new Replay(file).unwind();
    assertEquals(live.count(), replayed.count());
    for (int i = 0; i < live.count(); i++) {
      assertEquals(live.pc(i), replayed.pc(i));
      assertEquals(live.kind(i), replayed.kind(i));
      assertEquals(live.bci(i), replayed.bci(i));
      assertEquals(live.line(i), replayed.line(i));
    }
    String text = new Replay(file).text();
    assertEquals(file.facts().get(ReplayFile.RECORDED), text);
    assertTrue(text.contains("java.util.concurrent.CountDownLatch.await()V bci"), text);
    assertTrue(text.endsWith("end: complete\n"), text);
  }

  @Test
  void ofAThreadThatWaitedIsReplayedAsOne() throws Exception {
    sample.setJavaThread(0x1234);
    sample.setBlocked(sample.stackAddress() + 64, sample.stackAddress() + 128);
    StackSnapshot replayed =
        new Replay(ReplayReader.read(ReplayWriter.toBytes(record()))).snapshot();
    assertTrue(replayed.isBlocked());
    assertEquals(sample.javaThread(), replayed.javaThread());
    assertEquals(sample.lastJavaSp(), replayed.lastJavaSp());
    assertEquals(sample.lastJavaFp(), replayed.lastJavaFp());
  }

  @Test
  void sharesWhatAllSamplesHaveWithABase() throws Exception {
    ReplayFile whole = record();
    ReplayFile part = without(whole, recorder.base().memory());
    byte[] base = ReplayWriter.toBytes(recorder.base());
    byte[] own = ReplayWriter.toBytes(part);
    assertTrue(own.length < 64 << 10, own.length + " bytes");
    assertTrue(base.length < 256 << 10, base.length + " bytes");
    ReplayFile together = ReplayReader.read(own).on(ReplayReader.read(base));
    assertEquals(new Replay(whole).text(), new Replay(together).text());
  }

  private static ReplayFile without(ReplayFile file, RecordedLines base) {
    Map<Long, byte[]> own = new TreeMap<>();
    for (int i = 0; i < file.memory().lineCount(); i++) {
      own.put(file.memory().lineAddress(i), file.memory().lineBytes(i));
    }
    for (int i = 0; i < base.lineCount(); i++) {
      if (Arrays.equals(own.get(base.lineAddress(i)), base.lineBytes(i))) {
        own.remove(base.lineAddress(i));
      }
    }
    return new ReplayFile(
        "base",
        file.facts(),
        file.architecture(),
        Map.of(),
        file.modules(),
        RecordedLines.of(own),
        file.sample());
  }

  @Test
  void aStackThatFailsIsRecordedWithWhatABetterDecoderNeeds() throws Exception {
    // A leaf in nothing: the decoder can only search, though all callers are on the stack.
    long pc = sample.registers().pc();
    sample.registers().setPc(0x1234_5678L);
    ReplayFile failed = record();
    assertEquals(StopReason.SEARCHED, new Replay(failed).unwind().end());
    Replay replay = new Replay(failed);
    // The return address of the system call's function, for instance.
    FrameBuffer frames = new FrameBuffer(1024);
    sample.registers().setPc(pc);
    vm.unwinder().unwind(sample, vm.modules, frames);
    long caller = frames.pc(1);
    long sp = slotOf(caller) + 8;
    replay.snapshot().registers().setPc(caller);
    replay.snapshot().registers().set(7, sp);
    assertEquals(frames.count() - 1, replay.unwind().count());
    assertEquals(StopReason.COMPLETE, replay.unwind().end());
  }

  private long slotOf(long word) throws Exception {
    long slot = sample.stackAddress();
    while (sample.readLong(slot) != word) {
      slot += 8;
    }
    return slot;
  }

  @Test
  void brokenFilesAreNamedBroken() throws Exception {
    byte[] good = ReplayWriter.toBytes(record());
    Random random = new Random(4);
    int refused = 0;
    for (int i = 0; i < 120; i++) {
      byte[] bad = good.clone();
      if (i % 3 == 0) {
        bad = Arrays.copyOf(bad, random.nextInt(bad.length));
      } else {
        bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
      }
      try {
        // What is still a file may still be replayed, to whatever end.
        assertNotNull(new Replay(ReplayReader.read(bad)).unwind().end());
      } catch (ReplayFormatException | IllegalArgumentException | UnsupportedVmException e) {
        refused++;
      }
    }
    assertTrue(refused > 100, refused + " of 120");
  }
}
