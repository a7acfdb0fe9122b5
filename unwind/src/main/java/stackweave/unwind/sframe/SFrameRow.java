package stackweave.unwind.sframe;

import java.nio.ByteBuffer;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;

/**
 * One row (FRE) of an SFrame function: what it says about CFA, RA and FP, decoded. Mutable and
 * reused; not thread-safe.
 *
 * <p>Source: SFrame specification sections 2.4 and 3.
 */
public final class SFrameRow {
  /** How a row says where a value is. */
  public enum Recovery {
    /** Nothing said: the register is unchanged, or not tracked. */
    UNCHANGED,
    /** At the offset from the CFA that the section's header fixes. */
    FIXED,
    /** A padding word: no rule, the header's fixed offset where it has one. */
    PADDING,
    /** value = *(CFA + offset). */
    AT_CFA,
    /** value = CFA + offset. */
    CFA_PLUS,
    /** value = register + offset. */
    REGISTER_PLUS,
    /** value = *(register + offset). */
    AT_REGISTER,
    /** value = register; V2 on s390x only. */
    REGISTER
  }

  /** What s390x rows divide the CFA's offset by (SFRAME_S390X_CFA_OFFSET_ALIGNMENT_FACTOR). */
  public static final int S390X_CFA_FACTOR = 8;

  private SFrameFunction function;
  private long start;
  private int info;
  private int wordCount;
  private int wordSize;
  private int wordsOffset;
  private int wordsUsed;

  private boolean undefined;
  private boolean cfaDeref;
  private int cfaRegister;
  private long cfaOffset;
  private Recovery ra;
  private int raRegister;
  private long raOffset;
  private Recovery fp;
  private int fpRegister;
  private long fpOffset;

  // The result of the last control and offset pair of a flexible row.
  private Recovery pair;
  private int pairRegister;
  private long pairOffset;

  /** Decodes the row whose info byte is at an offset; its words are known to be there. */
  void decode(SFrameFunction function, long start, int infoOffset)
      throws MalformedSectionException {
    this.function = function;
    this.start = start;
    info = function.bytes().get(infoOffset) & 0xff;
    wordCount = info >>> 1 & 15;
    wordSize = 1 << (info >>> 5 & 3);
    wordsOffset = infoOffset + 1;
    undefined = wordCount == 0;
    wordsUsed = 0;
    ra = Recovery.UNCHANGED;
    fp = Recovery.UNCHANGED;
    if (undefined) {
      // V2 errata 2 and V3: no words means that the return address is undefined.
      if (function.version() == 1) {
        throw new MalformedSectionException(Reason.BAD_ROW, infoOffset);
      }
    } else if (function.isFlex()) {
      flex(infoOffset);
    } else {
      words();
    }
    // Section 3.2: the header's fixed offset applies where a flexible row says nothing of FP.
    // Default rows: the text is silent, libsframe lets the header win.
    SFrameElement element = function.element();
    boolean saysFp = function.isFlex() && fp != Recovery.UNCHANGED;
    if (!undefined && !saysFp && element.fixedFp != 0) {
      fp = Recovery.AT_CFA;
      fpOffset = element.fixedFp;
    }
  }

  /** The default form: CFA, then RA where the header fixes none, then FP. */
  private void words() {
    Architecture architecture = function.architecture();
    cfaDeref = false;
    cfaRegister = (info & 1) != 0 ? architecture.sp() : architecture.fp();
    cfaOffset = cfaOffset(word(0));
    int next = 1;
    if (function.element().fixedRa != 0) {
      ra = Recovery.FIXED;
    } else if (wordCount > 1) {
      next = 2;
      raOffset = word(1);
      ra = raOffset == 0 ? Recovery.PADDING : Recovery.AT_CFA;
      if (ra == Recovery.AT_CFA && isRegisterNumber(raOffset)) {
        ra = Recovery.REGISTER;
        raRegister = (int) (raOffset >> 1);
      }
    }
    wordsUsed = Math.min(wordCount, next + 1);
    if (wordCount > next) {
      fpOffset = word(next);
      fp = Recovery.AT_CFA;
      if (isRegisterNumber(fpOffset)) {
        fp = Recovery.REGISTER;
        fpRegister = (int) (fpOffset >> 1);
      }
    }
  }

  /** V2 on s390x: stack offsets are even, an odd one is {@code register << 1 | 1}. */
  private boolean isRegisterNumber(long word) {
    return function.architecture() == Architecture.S390X
        && function.version() == 2
        && (word & 1) != 0;
  }

  /** The flexible form: a pair of control and offset each for CFA, RA, FP; 0 is padding. */
  private void flex(int infoOffset) throws MalformedSectionException {
    if (wordCount < 2 || (control(0) & 1) == 0) {
      throw new MalformedSectionException(Reason.BAD_ROW, infoOffset);
    }
    pair(0);
    cfaDeref = pair == Recovery.AT_REGISTER;
    cfaRegister = pairRegister;
    cfaOffset = cfaOffset(pairOffset);
    int next = 2;
    ra = function.element().fixedRa != 0 ? Recovery.FIXED : Recovery.UNCHANGED;
    if (wordCount > next) {
      if (control(next) == 0) {
        ra = Recovery.PADDING;
        next++;
      } else {
        if (wordCount == next + 1) {
          throw new MalformedSectionException(Reason.BAD_ROW, infoOffset);
        }
        pair(next);
        ra = pair;
        raRegister = pairRegister;
        raOffset = pairOffset;
        next += 2;
      }
    }
    wordsUsed = next;
    if (wordCount > next && control(next) == 0) {
      wordsUsed++; // padding
    } else if (wordCount > next) {
      wordsUsed += 2;
      if (wordCount == next + 1) {
        throw new MalformedSectionException(Reason.BAD_ROW, infoOffset);
      }
      pair(next);
      fp = pair;
      fpRegister = pairRegister;
      fpOffset = pairOffset;
    }
  }

  private void pair(int i) {
    long control = control(i);
    boolean register = (control & 1) != 0;
    boolean deref = (control & 2) != 0;
    pairRegister = (int) (control >>> 3);
    pairOffset = word(i + 1);
    if (register) {
      pair = deref ? Recovery.AT_REGISTER : Recovery.REGISTER_PLUS;
    } else {
      pair = deref ? Recovery.AT_CFA : Recovery.CFA_PLUS;
    }
  }

  private long cfaOffset(long word) {
    return function.architecture() == Architecture.S390X
        ? word * S390X_CFA_FACTOR + Architecture.S390X.spBelowCfa()
        : word;
  }

  /** Signed data word {@code i}, as stored. */
  public long word(int i) {
    ByteBuffer bytes = function.bytes();
    int at = wordsOffset + i * wordSize;
    return switch (wordSize) {
      case 1 -> bytes.get(at);
      case 2 -> bytes.getShort(at);
      default -> bytes.getInt(at);
    };
  }

  /** Unsigned data word {@code i}: control words are, in their own width. */
  long control(int i) {
    return word(i) & (1L << 8 * wordSize) - 1;
  }

  /** Makes the rule of this row. */
  public void toRule(RuleBuilder rule) {
    rule.clear();
    if (undefined) {
      rule.ra = Location.of(Location.UNDEFINED);
      return;
    }
    rule.signal = function.isSignal();
    rule.mangled = isMangled();
    if (!cfaDeref) {
      rule.setCfa(cfaRegister, cfaOffset);
    } else if (cfaOffset == (int) cfaOffset) {
      rule.setCfaAt(cfaRegister, (int) cfaOffset, 0);
    } else {
      rule.refuseCfa(Unsupported.OFFSET);
    }
    int fixedRa = function.element().fixedRa;
    if (ra == Recovery.FIXED || (ra == Recovery.PADDING && fixedRa != 0)) {
      rule.ra = Location.atCfa(fixedRa);
    } else {
      rule.ra = location(ra, raRegister, raOffset);
    }
    rule.forgetAllButFp();
    rule.setFp(location(fp, fpRegister, fpOffset));
  }

  private static long location(Recovery recovery, int register, long offset) {
    // A register that no architecture has fits no location either; the table refuses or forgets it.
    int number = register < 0 ? Location.MAX_REGISTERS - 1 : register;
    number = Math.min(number, Location.MAX_REGISTERS - 1);
    int places = (int) offset;
    return switch (recovery) {
      case UNCHANGED, FIXED, PADDING -> Location.of(Location.SAME);
      case AT_CFA -> Location.atCfa(places);
      case CFA_PLUS -> Location.of(Location.CFA_PLUS, 0, places);
      case REGISTER_PLUS -> Location.of(Location.REGISTER_PLUS, number, places);
      case AT_REGISTER -> Location.of(Location.AT_REGISTER, number, places);
      case REGISTER -> Location.of(Location.REGISTER_PLUS, number, 0);
    };
  }

  /** Offset of the first instruction it holds for, from the function's or block's start. */
  public long start() {
    return start;
  }

  /** The info byte as stored. */
  public int info() {
    return info;
  }

  /** How many data words there are. */
  public int wordCount() {
    return wordCount;
  }

  /** How many of them say something or are padding; the others are ignored. */
  public int wordsUsed() {
    return wordsUsed;
  }

  /**
   * Whether bits are set that mean nothing: the mark of a mangled return address off AArch64, or
   * bit 2 of a control word (section 3.2).
   */
  public boolean hasReservedBits() {
    if ((info & 0x80) != 0 && function.architecture() != Architecture.AARCH64) {
      return true;
    }
    if (undefined || !function.isFlex()) {
      return false;
    }
    int raWords = wordCount > 2 && control(2) != 0 ? 2 : 1;
    boolean inFp = wordCount > 2 + raWords && (control(2 + raWords) & 4) != 0;
    return (control(0) & 4) != 0 || (wordCount > 2 && (control(2) & 4) != 0) || inFp;
  }

  /** Size of a data word in bytes: 1, 2 or 4. */
  public int wordSize() {
    return wordSize;
  }

  /** Offset of its info byte in the section. */
  public int offset() {
    return wordsOffset - 1;
  }

  /** Whether the return address is undefined: the outermost frame. Nothing else is said then. */
  public boolean isUndefined() {
    return undefined;
  }

  /**
   * Whether the return address carries authentication bits. The mark (section 2.4.1) means nothing
   * where there are none: off AArch64.
   */
  public boolean isMangled() {
    return (info & 0x80) != 0 && function.architecture() == Architecture.AARCH64;
  }

  /** Whether CFA = *(register + offset) rather than register + offset. */
  public boolean isCfaDeref() {
    return cfaDeref;
  }

  /** DWARF number of the CFA's base register. */
  public int cfaRegister() {
    return cfaRegister;
  }

  /** Offset from the base register, in bytes. */
  public long cfaOffset() {
    return cfaOffset;
  }

  /** How the return address is found. */
  public Recovery ra() {
    return ra;
  }

  /** DWARF number of the register that {@link #ra} names, if it does. */
  public int raRegister() {
    return raRegister;
  }

  /** Offset that belongs to {@link #ra}, in bytes. */
  public long raOffset() {
    return raOffset;
  }

  /** How the frame pointer is found. */
  public Recovery fp() {
    return fp;
  }

  /** DWARF number of the register that {@link #fp} names, if it does. */
  public int fpRegister() {
    return fpRegister;
  }

  /** Offset that belongs to {@link #fp}, in bytes. */
  public long fpOffset() {
    return fpOffset;
  }
}
