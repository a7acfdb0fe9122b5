package stackweave.hotspot.replay;

import java.util.Arrays;
import java.util.List;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.ModuleList;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * A recorded sample, ready to be unwound as often as wanted, with caches that stay warm. Not
 * thread-safe.
 */
public final class Replay {
  private static final int MAX_FRAMES = 8192;

  private final RuleTable rules;
  private final List<RecordedModule> recorded;
  private final ModuleList modules = new ModuleList();
  private final HotSpot hotspot;
  private final HotSpotMethods methods = new HotSpotMethods();
  private final StackSnapshot snapshot;
  private final FrameBuffer frames = new FrameBuffer(MAX_FRAMES);
  private final MixedUnwinder unwinder;

  /**
   * Prepares the sample of a file.
   *
   * @param file with a sample, and not in need of a base
   * @throws UnsupportedVmException if the VM's description of itself, as recorded, is not enough
   * @throws IllegalArgumentException if a recorded rule is none, or modules overlap
   */
  public Replay(ReplayFile file) throws UnsupportedVmException {
    rules = new RuleTable(file.architecture());
    recorded = file.modules();
    for (RecordedModule module : recorded) {
      modules.add(module.start(), module.end(), module.bias(), module.open(rules));
    }
    hotspot =
        file.symbols().isEmpty()
            ? null
            : HotSpot.open(symbol -> file.symbols().getOrDefault(symbol, 0L), file.memory());
    snapshot = snapshot(file);
    unwinder = unwinder();
  }

  private static StackSnapshot snapshot(ReplayFile file) {
    ReplayFile.Sample sample = file.sample();
    int length = sample.stack().length;
    StackSnapshot snapshot =
        new StackSnapshot(file.architecture(), Math.max(length, StackSnapshot.MAX_STACK_BYTES));
    snapshot.clear();
    snapshot.setTid(sample.tid());
    snapshot.registers().copyFrom(sample.registers());
    snapshot.setHasRegisters(true);
    System.arraycopy(sample.stack(), 0, snapshot.stackBytes(length), 0, length);
    snapshot.setStack(sample.stackAddress(), length);
    snapshot.setElsewhere(file.memory());
    String waited = file.facts().get(ReplayFile.WAITED);
    if (waited != null) {
      long[] words =
          Arrays.stream(waited.split(" ")).mapToLong(w -> Long.parseUnsignedLong(w, 16)).toArray();
      if (words.length != 3) {
        throw new IllegalArgumentException("not three words: " + waited);
      }
      snapshot.setJavaThread(words[0]);
      snapshot.setBlocked(words[1], words[2]);
    }
    return snapshot;
  }

  /** The sample. */
  public StackSnapshot snapshot() {
    return snapshot;
  }

  /** The native code around it. */
  public CodeModules modules() {
    return modules;
  }

  /** Another unwinder for it, with empty caches. */
  public MixedUnwinder unwinder() {
    return new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
  }

  /** Unwinds the sample; the frames are overwritten by the next call. */
  public FrameBuffer unwind() {
    unwinder.unwind(snapshot, modules, frames);
    return frames;
  }

  /** Unwinds the sample, with its frames as text. */
  public String text() {
    return ReplayText.of(unwind(), methods, this::symbol);
  }

  private String symbol(long address) {
    for (RecordedModule module : recorded) {
      if (module.holds(address)) {
        return module.symbolAt(address) + " [" + module.name() + "]";
      }
    }
    return "0x" + Long.toHexString(address);
  }
}
