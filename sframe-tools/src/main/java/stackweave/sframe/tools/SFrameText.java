package stackweave.sframe.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stackweave.unwind.Architecture;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameRow.Recovery;
import stackweave.unwind.sframe.SFrameSection;

/** An SFrame section as text, one line per row, tab-separated. */
public final class SFrameText {
  /** The names of the columns. */
  public static final String HEADER = "#func\tstart\tsize\trowpc\tcfa\tfp\tra\tflags";

  private SFrameText() {}

  /**
   * Writes the header and all rows in stored order. {@code rowpc} is an address, in mask functions
   * the offset in the block; a function without rows gets one line with {@code -}. CFA: {@code
   * sp+8}, {@code fp+16}, {@code r10+0}, {@code *(fp-8)}. FP and RA: {@code u} unchanged or not
   * tracked, {@code f} the header's fixed offset, {@code U} padding, {@code c-16} at CFA − 16,
   * {@code r3+0} in a register, {@code *(fp+0)} where a register points to.
   *
   * <p>What is malformed is passed over, as {@link SectionPass} has it.
   *
   * @return what is wrong with functions; empty for a sound section
   */
  public static List<SFrameFault> write(SFrameSection section, Appendable out) throws IOException {
    out.append(HEADER).append('\n');
    return new SectionPass(section) {
      @Override
      void function(int number) throws IOException {
        if (function.rowCount() == 0) {
          out.append(prefix(number, function)).append(lineWithoutRows(function)).append('\n');
        }
      }

      @Override
      void row(int number) throws IOException {
        out.append(prefix(number, function)).append(line(function, row)).append('\n');
      }
    }.run();
  }

  private static String prefix(int number, SFrameFunction function) {
    return number + "\t" + Long.toHexString(function.start()) + "\t" + function.size() + "\t";
  }

  /** The columns from {@code rowpc} on. */
  public static String line(SFrameFunction function, SFrameRow row) {
    long pc = function.isMask() ? row.start() : function.start() + row.start();
    String columns =
        row.isUndefined()
            ? "undef\tundef\tundef"
            : cfa(function, row)
                + "\t"
                + text(function, row.fp(), row.fpRegister(), row.fpOffset())
                + "\t"
                + text(function, row.ra(), row.raRegister(), row.raOffset());
    return Long.toHexString(pc) + "\t" + columns + "\t" + flags(function, row);
  }

  /** The same columns of a function without rows. */
  public static String lineWithoutRows(SFrameFunction function) {
    return "-\tundef\tundef\tundef\t" + flags(function, null);
  }

  static String cfa(SFrameFunction function, SFrameRow row) {
    String place = place(function, row.cfaRegister(), row.cfaOffset());
    return row.isCfaDeref() ? "*(" + place + ")" : place;
  }

  static String text(SFrameFunction function, Recovery recovery, int register, long offset) {
    return switch (recovery) {
      case UNCHANGED -> "u";
      case FIXED -> "f";
      case PADDING -> "U";
      case AT_CFA -> String.format(Locale.ROOT, "c%+d", offset);
      case CFA_PLUS -> String.format(Locale.ROOT, "cfa%+d", offset);
      case REGISTER_PLUS -> place(function, register, offset);
      case AT_REGISTER -> "*(" + place(function, register, offset) + ")";
      case REGISTER -> "r" + register;
    };
  }

  private static String place(SFrameFunction function, int register, long offset) {
    Architecture architecture = function.architecture();
    String name;
    if (register == architecture.sp()) {
      name = "sp";
    } else {
      name = register == architecture.fp() ? "fp" : "r" + register;
    }
    return name + String.format(Locale.ROOT, "%+d", offset);
  }

  static String flags(SFrameFunction function, SFrameRow row) {
    List<String> flags = new ArrayList<>();
    if (function.isMask()) {
      flags.add("mask");
    }
    if (function.isSignal()) {
      flags.add("signal");
    }
    if (function.isFlex()) {
      flags.add("flex");
    }
    if (function.isKeyB()) {
      flags.add("keyB");
    }
    if (row == null) {
      flags.add("norows");
    } else {
      if (row.isMangled()) {
        flags.add("mangled");
      }
      if (row.isUndefined()) {
        flags.add("undef");
      }
    }
    return flags.isEmpty() ? "-" : String.join(",", flags);
  }
}
