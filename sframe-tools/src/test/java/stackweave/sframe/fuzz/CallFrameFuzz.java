package stackweave.sframe.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.sframe.writer.SFrameWriter;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/** What Jazzer runs on bytes as .eh_frame, .debug_frame and .eh_frame_hdr. */
public final class CallFrameFuzz {
  private static final long ADDRESS = 0x40_2000;

  private CallFrameFuzz() {}

  /** Looks up addresses, and writes what was read as SFrame, which must be sound. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    Section section = new Section(ByteBuffer.wrap(bytes), ADDRESS);
    for (Architecture architecture : Architecture.values()) {
      look(new UnwindSections(null, null, section, null, architecture), bytes);
      look(new UnwindSections(null, null, null, section, architecture), bytes);
      look(new UnwindSections(null, section, section, null, architecture), bytes);
    }
    UnwindSections sections = new UnwindSections(null, null, section, null, Architecture.X86_64);
    byte[] written = SFrameWriter.convert(sections, 3, ByteOrder.LITTLE_ENDIAN, 0).bytes();
    for (SFrameFault fault : SFrameVerifier.verify(new Section(ByteBuffer.wrap(written), 0))) {
      // Functions of made-up input may overlap; the writer keeps them as they are.
      if (fault.reason() != Reason.OVERLAP && fault.reason() != Reason.DUPLICATE_START) {
        throw new AssertionError(fault.text());
      }
    }
  }

  private static void look(UnwindSections sections, byte[] bytes) {
    RuleTable rules = new RuleTable(sections.architecture());
    SFrameFuzz.look(UnwindTables.open(sections, rules), rules, bytes);
  }
}
