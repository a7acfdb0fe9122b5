package stackweave.hotspot.replay;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;

/**
 * One sample with all that unwinding it read of its process; or, without a sample, what many
 * samples of one process have in common (a base). Immutable.
 *
 * @param base name of the base that this extends, or empty where it stands alone
 * @param facts what readers are shown, by name; see the constants
 * @param architecture of the process
 * @param symbols addresses of libjvm's exported symbols that were asked for; 0: it has none
 * @param modules executable ranges that were met
 * @param memory what was read of the process's memory, the sampled stack apart
 * @param sample null in a base
 */
public record ReplayFile(
    String base,
    Map<String, String> facts,
    Architecture architecture,
    Map<String, Long> symbols,
    List<RecordedModule> modules,
    RecordedLines memory,
    Sample sample) {

  /** Fact: the JVM, as {@code java.vm.name} and {@code java.vm.version} have it. */
  public static final String JVM = "jvm";

  /** Fact: the frames that the sampler found when it met the sample. */
  public static final String SAMPLED = "frames when sampled";

  /** Fact: the frames that were found when the file was recorded, a moment later. */
  public static final String RECORDED = "frames when recorded";

  /** Fact: what HotSpot calls the code where the stack stopped; empty for native code. */
  public static final String STOPPED = "stopped in";

  /**
   * Fact of a thread that waited, of which only pc and sp are known: its JavaThread, and sp and
   * frame pointer of its last Java frame, in hexadecimal.
   */
  public static final String WAITED = "waited, JavaThread and last Java frame";

  /**
   * The sample itself.
   *
   * @param tid the thread's id as the OS has it
   * @param registers at the interrupt
   * @param stackAddress where the copied stack begins
   * @param stack its bytes
   */
  public record Sample(int tid, Registers registers, long stackAddress, byte[] stack) {}

  /** How many bytes of the stack are in it. */
  public int stackBytes() {
    return sample == null ? 0 : sample.stack().length;
  }

  /** Where the stack begins. */
  public long stackAddress() {
    return sample.stackAddress();
  }

  /** A copy of the stack's bytes. */
  public byte[] stack() {
    return sample.stack().clone();
  }

  /** The registers as text: those that are known, by DWARF number. */
  public String registersLine() {
    StringBuilder text = new StringBuilder("pc=0x" + Long.toHexString(sample.registers.pc()));
    for (int i = 0; i < architecture.registerCount(); i++) {
      if (sample.registers.isKnown(i)) {
        text.append(" r").append(i).append("=0x");
        text.append(Long.toHexString(sample.registers.get(i)));
      }
    }
    return text.toString();
  }

  /** The executable ranges as text: address range, path, build id. */
  public List<String> moduleLines() {
    return modules.stream()
        .map(
            m ->
                String.format(
                    Locale.ROOT, "%x-%x %s %s", m.start(), m.end(), m.path(), m.buildId()))
        .toList();
  }

  /** Whether this can't be replayed without another file. */
  public boolean needsBase() {
    return !base.isEmpty();
  }

  /** This with what it lacks of {@code other}; stands alone. */
  public ReplayFile on(ReplayFile other) {
    return new ReplayFile(
        "", facts, architecture, other.symbols, modules, memory.over(other.memory), sample);
  }

  /** This with one more fact. */
  public ReplayFile with(String fact, String value) {
    Map<String, String> more = new TreeMap<>(facts);
    more.put(fact, value);
    return new ReplayFile(base, more, architecture, symbols, modules, memory, sample);
  }
}
