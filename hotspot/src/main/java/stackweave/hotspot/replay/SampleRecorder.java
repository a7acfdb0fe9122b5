package stackweave.hotspot.replay;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.replay.ModuleDescriptions.ModuleDescription;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Makes replay files of samples: unwinds each once more from empty caches, with readers in between
 * that remember what was read.
 *
 * <p>The VM is read as it is then, a few milliseconds after the sample. So a file can show another
 * stack than the sampler saw, where code or classes went away meanwhile; it says both.
 *
 * <p>Some ten milliseconds and a few megabytes for the first file, less for each further one. Not
 * thread-safe: belongs to the thread that unwinds.
 */
public final class SampleRecorder {
  /** How many words of the stack are tried as callers where a stack did not reach its root. */
  private static final int MAX_TRIES = 256;

  /** How much of a stack that did is tried, from the innermost word on, in bytes. */
  private static final int TRIED_OF_COMPLETE = 512;

  /** The most that an engine copies. */
  private static final int MAX_STACK_BYTES = 256 << 10;

  private final RuleTable rules;
  private final Map<String, Long> symbols = new HashMap<>();
  private final RecordingMemory memory;
  private final HotSpot hotspot;
  private final HotSpotMethods methods = new HotSpotMethods();
  private final ReplayFile base;
  private final StackSnapshot copy;
  private final FrameBuffer frames;
  private final FrameBuffer tried = new FrameBuffer(256);

  /**
   * Reads the VM's description of itself, which goes into each file.
   *
   * @param libjvm the exported symbols of the process's libjvm
   * @param memory of the process
   * @param rules of the native code
   * @param facts to show to readers, in each file
   * @param depth most frames of a stack
   * @throws UnsupportedVmException where Java frames can't be decoded anyway
   */
  public SampleRecorder(
      SymbolAddresses libjvm,
      MemoryReader memory,
      RuleTable rules,
      Map<String, String> facts,
      int depth)
      throws UnsupportedVmException {
    this.rules = rules;
    this.copy = new StackSnapshot(rules.architecture(), MAX_STACK_BYTES);
    this.memory = new RecordingMemory(memory);
    this.frames = new FrameBuffer(depth);
    this.hotspot =
        HotSpot.open(symbol -> symbols.computeIfAbsent(symbol, libjvm::addressOf), this.memory);
    this.base =
        new ReplayFile(
            "",
            facts,
            rules.architecture(),
            Map.copyOf(symbols),
            List.of(),
            this.memory.take(),
            null);
  }

  /** What all files of this recorder have in common. */
  public ReplayFile base() {
    return base;
  }

  /**
   * The replay file of a sample, its kernel frames and its time apart; it stands alone.
   *
   * @param modules what was mapped at the sample's time
   */
  public ReplayFile record(
      StackSnapshot sample, CodeModules modules, ModuleDescriptions descriptions) {
    memory.take();
    copy(sample);
    RecordingModules recording = new RecordingModules(modules, descriptions, rules);
    MixedUnwinder unwinder = new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
    unwinder.unwind(copy, recording, frames);
    nameFrames(recording, frames);
    Map<String, String> facts = new HashMap<>(base.facts());
    facts.put(ReplayFile.RECORDED, text(frames, methods, descriptions, modules));
    if (!frames.end().isComplete()) {
      long stopped = frames.count() == 0 ? 0 : frames.pc(frames.count() - 1);
      facts.put(ReplayFile.STOPPED, hotspot.codeAt(stopped));
    }
    if (sample.isBlocked()) {
      facts.put(
          ReplayFile.WAITED,
          Long.toHexString(sample.javaThread())
              + " "
              + Long.toHexString(sample.lastJavaSp())
              + " "
              + Long.toHexString(sample.lastJavaFp()));
    }
    tryCallers(recording, unwinder, frames.end().isComplete());
    byte[] stack = Arrays.copyOf(copy.stackBytes(), copy.stackLength());
    Registers registers = new Registers(rules.architecture());
    registers.copyFrom(sample.registers());
    return new ReplayFile(
        "",
        facts,
        rules.architecture(),
        base.symbols(),
        recording.take(),
        memory.take().over(base.memory()),
        new ReplayFile.Sample(sample.tid(), registers, sample.stackAddress(), stack));
  }

  /** Without a time: what is recorded is the VM as it is now, whatever it was. */
  private void copy(StackSnapshot sample) {
    copy.clear();
    copy.setElsewhere(memory);
    copy.registers().copyFrom(sample.registers());
    copy.setHasRegisters(true);
    if (sample.isBlocked()) {
      copy.setJavaThread(sample.javaThread());
      copy.setBlocked(sample.lastJavaSp(), sample.lastJavaFp());
    }
    int length = sample.stackLength();
    System.arraycopy(sample.stackBytes(), 0, copy.stackBytes(length), 0, length);
    copy.setStack(sample.stackAddress(), sample.stackLength());
  }

  /** The text of frames, for {@link ReplayFile#SAMPLED}. */
  public static String text(
      FrameBuffer frames,
      HotSpotMethods methods,
      ModuleDescriptions descriptions,
      CodeModules modules) {
    return ReplayText.of(frames, methods, pc -> symbol(pc, descriptions, modules));
  }

  private static String symbol(long pc, ModuleDescriptions descriptions, CodeModules modules) {
    if (modules.find(pc) == null) {
      return "0x" + Long.toHexString(pc);
    }
    ModuleDescription at = descriptions.at(pc);
    String path = at.path();
    String symbol =
        at.symbol().isEmpty() ? "0x" + Long.toHexString(pc - modules.find(pc).bias()) : at.symbol();
    return symbol + " [" + path.substring(path.lastIndexOf('/') + 1) + "]";
  }

  private static void nameFrames(RecordingModules modules, FrameBuffer frames) {
    for (int i = 0; i < frames.count(); i++) {
      if (frames.method(i) == FrameBuffer.NO_METHOD) {
        modules.nameFrame(ReplayText.lookupAddress(frames, i));
      }
    }
  }

  /**
   * Records more than unwinding needs, for a better decoder that goes on where this one stopped or
   * went wrong: it finds the caller among the words of the stack. So the stack is unwound from each
   * word that is an address of code.
   */
  private void tryCallers(RecordingModules modules, MixedUnwinder unwinder, boolean complete) {
    long fp = copy.registers().fp();
    int length = complete ? Math.min(copy.stackLength(), TRIED_OF_COMPLETE) : copy.stackLength();
    long end = copy.stackAddress() + length - 2L * Long.BYTES;
    int tries = 0;
    for (long slot = copy.stackAddress(); slot <= end && tries < MAX_TRIES; slot += Long.BYTES) {
      long word = wordAt(slot);
      if (hotspot.contains(word) || modules.find(word - 1) != null) {
        tries++;
        Registers registers = copy.registers();
        registers.setPc(word);
        registers.set(registers.architecture().sp(), slot + Long.BYTES);
        registers.set(registers.architecture().fp(), callersFp(slot, fp));
        unwinder.unwind(copy, modules, tried);
        nameFrames(modules, tried);
      }
    }
  }

  /** The caller's frame pointer: saved right below the return address, or else unchanged. */
  private long callersFp(long slot, long fp) {
    long saved = slot > copy.stackAddress() ? wordAt(slot - Long.BYTES) : 0;
    return saved > slot && saved - slot < StackSnapshot.MAX_STACK_BYTES ? saved : fp;
  }

  private long wordAt(long slot) {
    try {
      return copy.readLong(slot);
    } catch (UnreadableMemoryException e) {
      return 0;
    }
  }
}
