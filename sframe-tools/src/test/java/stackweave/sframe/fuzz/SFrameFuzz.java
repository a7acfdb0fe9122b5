package stackweave.sframe.fuzz;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import stackweave.sframe.tools.SFrameListing;
import stackweave.sframe.tools.SFrameStatistics;
import stackweave.sframe.tools.SFrameText;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/** What Jazzer runs on bytes as an SFrame section. */
public final class SFrameFuzz {
  private static final long ADDRESS = 0x1000;

  private SFrameFuzz() {}

  /** Reads, lists, verifies and looks up; what each of them says must fit the others. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    Section section = new Section(ByteBuffer.wrap(bytes), ADDRESS);
    List<SFrameFault> all = SFrameVerifier.verify(section);
    for (SFrameFault fault : all) {
      check(fault.offset() >= 0 && fault.offset() <= bytes.length, fault.text());
    }
    try {
      SFrameSection read = SFrameSection.read(section);
      List<SFrameFault> faults = SFrameText.write(read, new StringBuilder());
      check(faults.equals(SFrameListing.write(read, new StringBuilder())), "listing");
      check(all.containsAll(faults), faults + " not in " + all);
      check(SFrameStatistics.of(read).malformed() <= faults.size(), "malformed functions");
      lookups(read);
    } catch (MalformedSectionException e) {
      check(all.size() == 1, e + " but verified " + all);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    for (Architecture architecture : Architecture.values()) {
      RuleTable rules = new RuleTable(architecture);
      look(
          UnwindTables.open(new UnwindSections(section, null, null, null, architecture), rules),
          rules,
          bytes);
    }
  }

  /** By search and one after the other, the same function covers an address. */
  private static void lookups(SFrameSection section) {
    SFrameFunction function = new SFrameFunction();
    SFrameFunction found = new SFrameFunction();
    for (int i = 0; i < Math.min(64, section.functionCount()); i++) {
      try {
        section.open(i, function);
        boolean covered = section.findFunction(function.start(), found);
        check(covered || function.size() == 0, "function " + i + " not found");
        check(!covered || found.start() == function.start() || found.size() > 0, "function " + i);
        check(
            !covered || section.functionStart(function.start()) == found.start(), "start of " + i);
      } catch (MalformedSectionException e) {
        // said by the verifier, too
      }
    }
  }

  /** Looks up addresses around the section and wherever its bytes lead. */
  public static void look(UnwindTable table, RuleTable rules, byte[] bytes) {
    long seed = bytes.length;
    for (byte b : bytes) {
      seed = seed * 31 + b;
    }
    for (int i = 0; i < 40; i++) {
      seed = seed * 0x5851_f42d_4c95_7f2dL + 1;
      long address =
          switch (i % 4) {
            case 0 -> seed;
            case 1 -> 0x40_1000 + (seed >>> 52);
            case 2 -> ADDRESS + (seed >>> 56);
            default -> (int) (seed >>> 32);
          };
      int rule = table.find(address);
      if (rule >= 0) {
        rules.describe(rule);
      }
      long start = table.functionStart(address);
      check(
          start == UnwindTable.NO_ADDRESS || address - start >>> 32 == 0,
          "function at " + start + " covers " + address);
      table.functionEndBelow(address);
      table.functionStartAbove(address);
    }
  }

  private static void check(boolean holds, String message) {
    if (!holds) {
      throw new AssertionError(message);
    }
  }
}
