package stackweave.sframe.writer;

import java.util.Arrays;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.sframe.SFrameRow;

/**
 * Encodes a rule as the data words of an SFrame row: in the default form, or in the flexible form
 * where that can't say it. Reused; not thread-safe.
 *
 * <p>Source: SFrame specification section 3.
 */
final class SFrameRowEncoder {
  /** Words of the longest row: pairs for CFA, RA and FP. */
  private static final int MAX_WORDS = 6;

  private static final int X86_64_FIXED_RA = -8;
  private static final int REGISTER_BASE = 1;
  private static final int DEREF = 2;

  private final RuleTable rules;
  private final Architecture architecture;
  private final int version;
  private final int[] words = new int[MAX_WORDS];
  private int wordCount;
  private boolean flex;
  private int baseBit;
  private boolean mangled;

  SFrameRowEncoder(RuleTable rules, int version) {
    this.rules = rules;
    this.architecture = rules.architecture();
    this.version = version;
  }

  /** The header's fixed offset of the return address from the CFA; 0 for none. */
  int fixedRa() {
    return architecture == Architecture.X86_64 ? X86_64_FIXED_RA : 0;
  }

  /** Encodes a frame or outermost rule; false if rows of the form can't say it. */
  boolean encode(int rule, boolean flexible) {
    wordCount = 0;
    baseBit = 0;
    mangled = false;
    flex = flexible;
    if (rules.kind(rule) == RuleTable.OUTERMOST) {
      return true; // a row without words
    }
    if (rules.kind(rule) != RuleTable.FRAME || (flexible && version < 3)) {
      return false;
    }
    mangled = (rules.flags(rule) & RuleTable.FLAG_MANGLED) != 0;
    return flexible ? flexible(rule) : plain(rule);
  }

  private boolean plain(int rule) {
    long cfa = rules.cfa(rule);
    int register = Location.register(cfa);
    boolean sp = register == architecture.sp();
    if (Location.kind(cfa) != Location.REGISTER_PLUS
        || (!sp && register != architecture.fp())
        || !cfaOffset(Location.offset(cfa))) {
      return false;
    }
    baseBit = sp ? 1 : 0;
    long ra = rules.ra(rule);
    long fp = rules.register(rule, 0);
    boolean raSame = Location.kind(ra) == Location.SAME;
    boolean fpSame = Location.kind(fp) == Location.SAME;
    if (fixedRa() != 0) {
      return ra == Location.atCfa(fixedRa()) && (fpSame || plainWord(fp, true));
    }
    if (raSame && fpSame) {
      return true;
    }
    if (raSame) {
      words[wordCount++] = 0; // padding
    } else if (!plainWord(ra, false)) {
      return false;
    }
    return fpSame || plainWord(fp, true);
  }

  /** A word that is the offset of a save slot; 0 would be padding for the return address. */
  private boolean plainWord(long location, boolean zeroAllowed) {
    int offset = Location.offset(location);
    boolean registers = architecture == Architecture.S390X && version == 2;
    if (registers && Location.kind(location) == Location.REGISTER_PLUS && offset == 0) {
      words[wordCount++] = Location.register(location) << 1 | 1;
      return true;
    }
    if (Location.kind(location) != Location.AT_CFA
        || (offset == 0 && !zeroAllowed)
        || (registers && (offset & 1) != 0)) {
      return false;
    }
    words[wordCount++] = offset;
    return true;
  }

  private boolean flexible(int rule) {
    long cfa = rules.cfa(rule);
    if (rules.cfaAdd(rule) != 0 || Location.kind(cfa) == Location.EXPRESSION) {
      return false;
    }
    words[wordCount++] =
        Location.register(cfa) << 3
            | (Location.kind(cfa) == Location.AT_REGISTER ? DEREF : 0)
            | REGISTER_BASE;
    if (!cfaOffset(Location.offset(cfa))) {
      return false;
    }
    // The base bit has no meaning here; assemblers set it.
    baseBit = Location.register(cfa) == architecture.sp() ? 1 : 0;
    long ra = rules.ra(rule);
    long fp = rules.register(rule, 0);
    boolean raDefault =
        fixedRa() != 0 ? ra == Location.atCfa(fixedRa()) : Location.kind(ra) == Location.SAME;
    boolean fpSame = Location.kind(fp) == Location.SAME;
    if (!raDefault) {
      if (!pair(ra)) {
        return false;
      }
    } else if (!fpSame) {
      words[wordCount++] = 0; // padding
    }
    return fpSame || pair(fp);
  }

  private boolean pair(long location) {
    int control;
    switch (Location.kind(location)) {
      case Location.AT_CFA -> control = DEREF;
      case Location.REGISTER_PLUS -> control = Location.register(location) << 3 | REGISTER_BASE;
      case Location.AT_REGISTER ->
          control = Location.register(location) << 3 | DEREF | REGISTER_BASE;
      default -> {
        return false;
      }
    }
    words[wordCount++] = control;
    words[wordCount++] = Location.offset(location);
    return true;
  }

  private boolean cfaOffset(int offset) {
    if (architecture == Architecture.S390X) {
      int above = offset - architecture.spBelowCfa();
      if (above % SFrameRow.S390X_CFA_FACTOR != 0) {
        return false;
      }
      words[wordCount++] = above / SFrameRow.S390X_CFA_FACTOR;
    } else {
      words[wordCount++] = offset;
    }
    return true;
  }

  /** The data words of the row. */
  int[] words() {
    return Arrays.copyOf(words, wordCount);
  }

  /** The smallest size that holds all words, as the info byte has it: 0, 1, 2 for 1, 2, 4 bytes. */
  int wordSizeCode() {
    int code = 0;
    for (int i = 0; i < wordCount; i++) {
      int word = words[i];
      boolean fits1 = isControl(i) ? word <= 0xff : word == (byte) word;
      boolean fits2 = isControl(i) ? word <= 0xffff : word == (short) word;
      if (!fits2) {
        return 2;
      }
      if (!fits1) {
        code = 1;
      }
    }
    return code;
  }

  /** Whether word {@code i} is a control word, which is unsigned. */
  private boolean isControl(int i) {
    if (!flex) {
      return false;
    }
    // CFA pair, then the pair or padding of RA, then the pair of FP.
    if (i < 2) {
      return i == 0;
    }
    boolean padded = words[2] == 0;
    return i == 2 || (padded ? i == 3 : i == 4);
  }

  /** The info byte of the row. */
  int info() {
    return (mangled ? 0x80 : 0) | wordSizeCode() << 5 | wordCount << 1 | baseBit;
  }
}
