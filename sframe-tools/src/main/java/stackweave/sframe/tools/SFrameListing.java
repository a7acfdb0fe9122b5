package stackweave.sframe.tools;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;
import stackweave.unwind.sframe.SFrameElement;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameSection;

/**
 * An SFrame section as readable text: headers, functions, rows; a function's fault in its place.
 */
public final class SFrameListing extends SectionPass {
  private final Appendable out;

  private SFrameListing(SFrameSection section, Appendable out) {
    super(section);
    this.out = out;
  }

  /**
   * Writes all of a section. Columns as in {@link SFrameText}.
   *
   * @return what is wrong with functions; empty for a sound section
   */
  public static List<SFrameFault> write(SFrameSection section, Appendable out) throws IOException {
    List<SFrameFault> faults = new SFrameListing(section, out).run();
    if (section.elements().isEmpty()) {
      out.append("empty section\n");
    }
    return faults;
  }

  @Override
  void element(SFrameElement element) throws IOException {
    boolean big = element.bytes.order() == ByteOrder.BIG_ENDIAN;
    out.append("SFrame V" + element.version + " at offset 0x" + Integer.toHexString(element.offset))
        .append(", " + element.architecture.name().toLowerCase(Locale.ROOT))
        .append(big ? " big endian" : " little endian")
        .append((element.flags & SFrameElement.FLAG_SORTED) != 0 ? ", sorted" : "")
        .append((element.flags & SFrameElement.FLAG_FRAME_POINTER) != 0 ? ", frame pointer" : "")
        .append((element.flags & SFrameElement.FLAG_START_PCREL) != 0 ? ", pc-relative" : "")
        .append(element.fixedFp != 0 ? ", fixed fp c" + signed(element.fixedFp) : "")
        .append(element.fixedRa != 0 ? ", fixed ra c" + signed(element.fixedRa) : "")
        .append(": " + element.fdeCount + " functions, " + element.u4(element.offset + 12))
        .append(" rows, " + (element.end - element.offset) + " bytes\n");
  }

  private static String signed(int offset) {
    return offset < 0 ? "" + offset : "+" + offset;
  }

  @Override
  void function(int number) throws IOException {
    out.append("\nfunction " + number + " at " + Long.toHexString(function.start()))
        .append(", " + function.size() + " bytes")
        .append(function.isMask() ? ", rows for each " + function.blockSize() + " bytes" : "")
        .append(function.isSignal() ? ", signal frame" : "")
        .append(function.isFlex() ? ", flexible rows" : "")
        .append(function.isKeyB() ? ", key B" : "")
        .append(function.rowCount() == 0 ? ", no rows\n" : "\n");
  }

  @Override
  void row(int number) throws IOException {
    long pc = function.isMask() ? row.start() : function.start() + row.start();
    out.append(String.format(Locale.ROOT, "  %12x  ", pc));
    if (row.isUndefined()) {
      out.append("outermost");
    } else {
      String fp = SFrameText.text(function, row.fp(), row.fpRegister(), row.fpOffset());
      String ra = SFrameText.text(function, row.ra(), row.raRegister(), row.raOffset());
      out.append(
          String.format(
              Locale.ROOT, "cfa %-10s fp %-8s ra %s", SFrameText.cfa(function, row), fp, ra));
      out.append(row.isMangled() ? " mangled" : "");
    }
    out.append('\n');
  }

  @Override
  void fault(SFrameFault fault) throws IOException {
    out.append("  fault at " + fault.text() + "\n");
  }
}
