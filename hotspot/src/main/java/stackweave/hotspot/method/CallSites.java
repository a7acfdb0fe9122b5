package stackweave.hotspot.method;

import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.vmstructs.Field;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Tells which method a bytecode calls, by name and descriptor, and of which class; the link check
 * compares it with the callee's frame. In a linked class the operand of an invoke is an index, in
 * native byte order, into the constant pool's cache, whose entry has the index in the constant pool
 * ({@code rewriter.cpp}). A class stands there with its name's index in the upper half ({@code
 * CPKlassSlot} in constantPool.hpp). Not thread-safe.
 */
public final class CallSites {
  /** The callee of a bytecode whose call the constant pool does not determine. */
  public static final long ANYTHING = 0;

  /** The class of a call that names none. */
  public static final long NO_CLASS = 0;

  /** The callee of a bytecode that calls no method. */
  static final long NOTHING = -1;

  // Bytecodes::Code, the same from JDK 8 on
  private static final int INVOKEVIRTUAL = 182;
  private static final int INVOKEINTERFACE = 185;
  private static final int INVOKEDYNAMIC = 186;
  private static final int BREAKPOINT = 202;
  private static final int FAST_INVOKEVFINAL = 227;
  private static final int INVOKEHANDLE = 233;

  /** Mask of a constant pool's entries and of the rows of the cache's indices. */
  private static final int LOW_HALF = 0xffff;

  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  private final Layout layout;
  private final MemoryReader memory;
  private final MemoryCopy symbol = new MemoryCopy(256);

  public CallSites(Layout layout, MemoryReader memory) {
    this.layout = layout;
    this.memory = memory;
  }

  /**
   * A method's name and descriptor as one number, neither {@link #ANYTHING} nor {@link #NOTHING}:
   * symbols are unique in the VM, so that their addresses stand for their characters.
   */
  static long key(long name, long descriptor) {
    long key = name * GOLDEN_RATIO + descriptor;
    return key == ANYTHING || key == NOTHING ? 1 : key;
  }

  /** Whether a bytecode that calls {@code called} can have called the method of that key. */
  public static boolean canCall(long called, long key) {
    return called == key || called == ANYTHING || key == ANYTHING;
  }

  /**
   * What the bytecode calls.
   *
   * @return the callee's {@link #key}, {@link #ANYTHING} or {@link #NOTHING}
   */
  public long calledAt(JavaMethod caller, int bci) {
    if (bci < 0 || bci + 2 >= caller.codeSize) {
      return ANYTHING;
    }
    int opcode = caller.bytecode(bci);
    if (opcode >= INVOKEVIRTUAL && opcode <= INVOKEINTERFACE || opcode == FAST_INVOKEVFINAL) {
      return calledBy(caller, bci);
    }
    // Method handles and call sites call what they were given; a debugger's breakpoint hides all.
    boolean open = opcode == INVOKEDYNAMIC || opcode == BREAKPOINT || opcode >= INVOKEHANDLE;
    return open ? ANYTHING : NOTHING;
  }

  /**
   * The class whose method the bytecode calls, by its name's symbol, after {@link #calledAt} said
   * what that is; {@link #NO_CLASS} if it is not known. The method that runs may be one that
   * overrides it.
   */
  public long classCalledAt(JavaMethod caller, int bci) {
    return caller.classCalledAt(bci);
  }

  private long calledBy(JavaMethod caller, int bci) {
    if (caller.remembersCall(bci)) {
      return caller.calledAt(bci);
    }
    try {
      int index = caller.bytecode(bci + 1) | caller.bytecode(bci + 2) << 8;
      return named(caller, bci, index);
    } catch (UnreadableMemoryException e) {
      return ANYTHING;
    }
  }

  private long named(JavaMethod caller, int bci, int cacheIndex) throws UnreadableMemoryException {
    if (caller.poolCache == 0) {
      return ANYTHING; // not linked yet, so not running either
    }
    int method = (int) entry(caller.constants, poolIndex(caller.poolCache, cacheIndex));
    int both = (int) entry(caller.constants, method >>> 16);
    long name = entry(caller.constants, both & LOW_HALF);
    if (caller.isInvoker && isLinker(name)) {
      caller.rememberCall(bci, ANYTHING, NO_CLASS);
      return ANYTHING;
    }
    long called = key(name, entry(caller.constants, both >>> 16));
    caller.rememberCall(bci, called, className(caller, method & LOW_HALF));
    return called;
  }

  /** The name's symbol, or {@link #NO_CLASS} where recorded memory lacks it. */
  private long className(JavaMethod caller, int index) {
    try {
      int slot = (int) entry(caller.constants, index);
      return entry(caller.constants, slot >>> 16);
    } catch (UnreadableMemoryException e) {
      return NO_CLASS;
    }
  }

  /** Whether it names a linker of method handles, which jumps to the method that it was given. */
  private boolean isLinker(long name) throws UnreadableMemoryException {
    symbol.copy(memory, name, (int) layout.symbolBody.offset());
    int length = layout.symbolLength.intIn(symbol);
    symbol.copy(memory, name + layout.symbolBody.offset(), length);
    String text = symbol.text(0, length);
    return text != null && ClassFileNames.isLinker(text);
  }

  /** The index in the pool. */
  private int poolIndex(long cache, int index) throws UnreadableMemoryException {
    Field entries = layout.resolvedMethods;
    long offset = layout.calledEntries + (long) index * layout.calledEntrySize;
    long first = entries == null ? cache : memory.readLong(cache + entries.offset());
    long entry = first + offset;
    // Read with what stands before it: the entry may be the last of its mapping.
    Field field = layout.calledIndex;
    int before = Long.BYTES - field.width();
    return (int) (memory.readLong(entry + field.offset() - before) >>> 8 * before) & LOW_HALF;
  }

  private long entry(long constants, int index) throws UnreadableMemoryException {
    return memory.readLong(constants + layout.constantPoolSize + 8L * index);
  }
}
