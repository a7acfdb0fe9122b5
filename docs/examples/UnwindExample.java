import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.RecordedMemory;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.sframe.tools.SFrameText;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.sframe.writer.SFrameWriter;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;
import stackweave.unwind.walk.ModuleList;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Writes an SFrame section for code of one's own, as a JIT compiler would, reads it back, and walks
 * a recorded stack with it. Needs nothing but the
 * jars of the modules unwind and sframe-tools.
 */
public final class UnwindExample {
  private static final Architecture X86 = Architecture.X86_64;
  private static final long CODE = 0x1000; // ELF virtual addresses
  private static final long SECTION = 0x8000;
  private static final long BIAS = 0x7f00_0000_0000L; // where the code is loaded

  public static void main(String[] arguments) throws Exception {
    byte[] bytes = write();
    Section section = new Section(ByteBuffer.wrap(bytes), SECTION);
    System.out.println(SFrameVerifier.verify(section).size() + " faults");
    SFrameText.write(SFrameSection.read(section), System.out);
    walk(section);
  }

  /** Two functions: the thread's entry, and one that pushes rbp at its first byte. */
  private static byte[] write() {
    RuleTable rules = new RuleTable(X86);
    RuleBuilder rule = new RuleBuilder(X86);
    rule.ra = Location.of(Location.UNDEFINED);
    int outermost = rules.intern(rule);

    rule.clear();
    rule.setCfa(X86.sp(), 8);
    rule.ra = Location.atCfa(-8);
    int entered = rules.intern(rule);
    rule.setCfa(X86.sp(), 16);
    rule.setFp(Location.atCfa(-16));
    int pushed = rules.intern(rule);

    SFrameWriter writer = new SFrameWriter(rules, 3, X86.byteOrder());
    writer.add(CODE, 0x20, new int[] {0}, new int[] {outermost}, 1);
    writer.add(CODE + 0x20, 0x40, new int[] {0, 1}, new int[] {entered, pushed}, 2);
    return writer.write(SECTION);
  }

  /** The second function was interrupted behind its push; the entry had called it. */
  private static void walk(Section section) {
    RuleTable rules = new RuleTable(X86);
    UnwindTable table =
        UnwindTables.open(new UnwindSections(section, null, null, null, X86), rules);
    ModuleList modules = new ModuleList().add(BIAS + CODE, BIAS + CODE + 0x60, BIAS, table);

    long sp = 0x7fff_0000_0000L;
    ByteBuffer stack = ByteBuffer.allocate(16).order(X86.byteOrder());
    stack.putLong(0, 0xbeef); // rbp of the caller
    stack.putLong(8, BIAS + CODE + 0x10); // return address
    RecordedMemory memory = new RecordedMemory(ByteOrder.LITTLE_ENDIAN).add(sp, stack);

    Registers registers = new Registers(X86);
    registers.setPc(BIAS + CODE + 0x30);
    registers.set(X86.sp(), sp);
    registers.set(X86.fp(), sp);

    StopReason stop =
        new NativeUnwinder(rules)
            .walk(
                registers,
                memory,
                modules,
                100,
                (frame, interrupted) ->
                    System.out.printf(
                        "pc %x sp %x fp %x%n", frame.pc(), frame.sp(), frame.fp()));
    System.out.println(stop.label());
  }
}
