package stackweave.unwind.cfi;

import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.rule.RowSink;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.SectionReader;

/**
 * Runs the call frame instructions of one FDE and hands its rows to a sink.
 *
 * <p>Source: DWARF 5 section 6.4.2 and the GNU and AArch64 vendor opcodes. Not thread-safe.
 */
final class CallFrameProgram {
  /** GCC nests none, hand-written code one or two. */
  private static final int MAX_STATES = 32;

  private final CallFrameInfo info;
  private final SectionReader reader;
  private final CallFrameExpression expression;
  private final RuleBuilder state;
  private final RuleBuilder initial;
  private final RuleBuilder[] states = new RuleBuilder[MAX_STATES];
  private int depth;
  private long location;
  private RowSink sink;

  CallFrameProgram(CallFrameInfo info, RuleTable rules) {
    Architecture architecture = rules.architecture();
    this.info = info;
    this.reader = info.reader;
    this.expression = new CallFrameExpression(reader, rules);
    this.state = new RuleBuilder(architecture);
    this.initial = new RuleBuilder(architecture);
  }

  /** Runs the FDE that is open in the {@link CallFrameInfo}. */
  void run(RowSink rows) throws MalformedSectionException {
    sink = null;
    depth = 0;
    location = 0;
    state.clear();
    state.signal = info.signalFrame;
    initial.clear();
    reader.range(info.cieProgram, info.cieProgramEnd);
    execute();
    initial.copyFrom(state);
    sink = rows;
    reader.range(info.program, info.programEnd);
    execute();
    sink.row(location, state);
  }

  private void execute() throws MalformedSectionException {
    while (reader.hasMore()) {
      int at = reader.position();
      int opcode = reader.u1();
      int low = opcode & 0x3f;
      switch (opcode >>> 6) {
        case 1 -> advance(low * info.codeAlignment, at);
        case 2 -> saved(low, unsignedFactored());
        case 3 -> restore(low);
        default -> extended(low, at);
      }
    }
  }

  private void extended(int opcode, int at) throws MalformedSectionException {
    switch (opcode) {
      case 0x00 -> {} // nop
      case 0x01 -> setLocation(at);
      case 0x02 -> advance(reader.u1() * info.codeAlignment, at);
      case 0x03 -> advance(reader.u2() * info.codeAlignment, at);
      case 0x04 -> advance(reader.u4() * info.codeAlignment, at);
      case 0x05 -> saved(reader.register(), unsignedFactored());
      case 0x06 -> restore(reader.register());
      case 0x07 -> set(reader.register(), Location.of(Location.UNDEFINED));
      case 0x08 -> set(reader.register(), Location.of(Location.SAME));
      case 0x09 -> {
        int register = reader.register();
        set(register, inRegister(register, reader.register()));
      }
      case 0x0a -> remember();
      case 0x0b -> recall(at);
      case 0x0c -> state.setCfa(reader.register(), reader.uleb());
      case 0x0d -> state.setCfa(reader.register(), cfaOffset());
      case 0x0e -> cfaOffset(reader.uleb());
      case 0x0f -> expression.cfa(state);
      case 0x10 -> {
        int register = reader.register();
        set(register, expression.location(true));
      }
      case 0x11 -> saved(reader.register(), signedFactored());
      case 0x12 -> state.setCfa(reader.register(), signedFactored());
      case 0x13 -> cfaOffset(signedFactored());
      case 0x14 -> value(reader.register(), unsignedFactored());
      case 0x15 -> value(reader.register(), signedFactored());
      case 0x16 -> {
        int register = reader.register();
        set(register, expression.location(false));
      }
      case 0x1d -> advance(reader.s8() * info.codeAlignment, at); // MIPS_advance_loc8
      case 0x2c, 0x2d -> negateRaState();
      case 0x2e -> reader.uleb(); // GNU_args_size
      case 0x2f -> saved(reader.register(), -unsignedFactored()); // GNU_negative_offset_extended
      default -> throw new MalformedSectionException(Reason.UNKNOWN_OPCODE, at);
    }
  }

  private void setLocation(int at) throws MalformedSectionException {
    long target = reader.pointer(info.pointerEncoding(), 0) - info.functionStart;
    advance(target - location, at);
  }

  private void advance(long delta, int at) throws MalformedSectionException {
    if (delta < 0 || location + delta < location) {
      throw new MalformedSectionException(Reason.BAD_PROGRAM, at);
    }
    if (sink == null || delta == 0) {
      return;
    }
    int resume = reader.position();
    int limit = reader.limit();
    sink.row(location, state);
    reader.range(resume, limit);
    location += delta;
  }

  private long unsignedFactored() throws MalformedSectionException {
    return reader.uleb() * info.dataAlignment;
  }

  private long signedFactored() throws MalformedSectionException {
    return reader.sleb() * info.dataAlignment;
  }

  private void saved(int register, long offset) {
    if (offset == (int) offset) {
      set(register, Location.atCfa((int) offset));
    } else {
      state.refuse(Unsupported.OFFSET);
    }
  }

  private void value(int register, long offset) {
    if (offset == (int) offset) {
      set(register, Location.of(Location.CFA_PLUS, 0, (int) offset));
    } else {
      state.refuse(Unsupported.OFFSET);
    }
  }

  private long inRegister(int register, int holder) {
    if (register == holder) {
      return Location.of(Location.SAME);
    }
    return holder < state.architecture().registerCount()
        ? Location.of(Location.REGISTER_PLUS, holder, 0)
        : Location.of(Location.UNKNOWN);
  }

  private void set(int register, long location) {
    state.set(register, info.raColumn, location);
  }

  private void restore(int register) {
    state.set(register, info.raColumn, initial.get(register, info.raColumn));
  }

  private void remember() {
    if (depth == MAX_STATES) {
      state.refuse(Unsupported.TOO_LARGE);
      return;
    }
    if (states[depth] == null) {
      states[depth] = new RuleBuilder(state.architecture());
    }
    states[depth++].copyFrom(state);
  }

  private void recall(int at) throws MalformedSectionException {
    if (depth == 0) {
      throw new MalformedSectionException(Reason.BAD_PROGRAM, at);
    }
    state.copyFrom(states[--depth]);
  }

  /** The offset part of a CFA that is a register plus offset; else 0. */
  private long cfaOffset() {
    return Location.kind(state.cfa) == Location.REGISTER_PLUS ? Location.offset(state.cfa) : 0;
  }

  private void cfaOffset(long offset) throws MalformedSectionException {
    if (Location.kind(state.cfa) == Location.UNKNOWN) {
      return; // already refused
    }
    if (Location.kind(state.cfa) != Location.REGISTER_PLUS) {
      throw new MalformedSectionException(Reason.BAD_PROGRAM, reader.position());
    }
    state.setCfa(Location.register(state.cfa), offset);
  }

  /**
   * On AArch64 the return address is signed from here on, or no longer (AADWARF64 section 4.4.2);
   * SPARC's register window opcode has the same number and occurs on none of the architectures
   * here.
   */
  private void negateRaState() throws MalformedSectionException {
    if (state.architecture() != Architecture.AARCH64) {
      throw new MalformedSectionException(Reason.UNKNOWN_OPCODE, reader.position());
    }
    state.mangled = !state.mangled;
  }
}
