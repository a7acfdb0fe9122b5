package stackweave.hotspot.method;

import java.util.Arrays;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.unloading.Lifetime;

/**
 * A copy of a Java method of the VM: names, bytecodes, line numbers, and what its bytecodes call.
 * Made by {@link MethodReader}, kept by {@link MethodCache}.
 */
public final class JavaMethod extends Lifetime {
  private static final int ACC_NATIVE = 0x100;
  private static final long[] NO_CALLS = {};

  // Words for the call of a bytecode.
  private static final int BCI = 0;
  private static final int CALLED = 1;
  private static final int CALLED_CLASS = 2;
  private static final int CALL_WORDS = 3;

  /** The Method* it was read from. */
  final long address;

  final long constMethod;

  /** Address of the bytecodes, and how many bytes they are. */
  public final long bytecodes;

  final int codeSize;

  /** Id among the {@code HotSpotMethods}. */
  public final int id;

  /** Name and descriptor, as {@link CallSites#key}. */
  public final long key;

  /** The symbol of its class's name, of which there is one in the VM. */
  public final long holderName;

  /** Whether its class may call the linkers of method handles. */
  final boolean isInvoker;

  final long constants;

  /** As {@link Body#nameIndices}. */
  final int nameIndices;

  /** The constant pool's cache; 0 as long as the class is not linked. */
  final long poolCache;

  private final byte[] code;
  private final int modifiers;
  private final LineTable lines;

  /** {@link #CALL_WORDS} for each bytecode of which it is known what it calls, as it was met. */
  private long[] calls = NO_CALLS;

  private int callCount;
  private JavaMethod former;

  /** Whether its class is linked, as that of running bytecodes is. */
  boolean isLinked() {
    return poolCache != 0 || (modifiers & ACC_NATIVE) != 0;
  }

  JavaMethod(long address, Body body, int id, int modifiers, Names names, LineTable lines) {
    this.address = address;
    this.constMethod = body.constMethod;
    this.bytecodes = body.bytecodes;
    this.codeSize = body.code.length;
    this.code = body.code;
    this.nameIndices = body.nameIndices;
    this.id = id;
    this.modifiers = modifiers;
    this.key = names.key;
    this.holderName = names.holderName;
    this.isInvoker = names.isInvoker;
    this.constants = names.constants;
    this.poolCache = names.poolCache;
    this.lines = lines;
  }

  /**
   * The ConstMethod, and a copy of its bytecodes.
   *
   * @param nameIndices where the constant pool has the name (upper half) and the descriptor
   */
  record Body(long constMethod, long bytecodes, byte[] code, int nameIndices) {}

  /**
   * Where its names are, and those of its callees.
   *
   * @param key of its name and descriptor
   * @param holderName the symbol of its class's name
   * @param poolCache 0 if its class is not linked
   */
  record Names(long key, long holderName, long constants, long poolCache, boolean isInvoker) {}

  int bytecode(int bci) {
    return code[bci] & 0xff;
  }

  /** Whether {@link #rememberCall} was called for this bytecode, if only with "anything". */
  boolean remembersCall(int bci) {
    return callAt(bci) >= 0;
  }

  /** What {@link #rememberCall} got as callee, or {@link CallSites#ANYTHING}. */
  long calledAt(int bci) {
    int i = callAt(bci);
    return i < 0 ? CallSites.ANYTHING : calls[i + CALLED];
  }

  /** What {@link #rememberCall} got as class, or {@link CallSites#NO_CLASS}. */
  long classCalledAt(int bci) {
    int i = callAt(bci);
    return i < 0 ? CallSites.NO_CLASS : calls[i + CALLED_CLASS];
  }

  /** Where the words of a bytecode's call begin; negative for none. The last ones are first. */
  private int callAt(int bci) {
    int i = (callCount - 1) * CALL_WORDS;
    while (i >= 0 && calls[i] != bci) {
      i -= CALL_WORDS;
    }
    return i;
  }

  void rememberCall(int bci, long called, long calledClass) {
    int at = callCount * CALL_WORDS;
    if (at == calls.length) {
      calls = Arrays.copyOf(calls, Math.max(CALL_WORDS, 2 * at));
    }
    calls[at + BCI] = bci;
    calls[at + CALLED] = called;
    calls[at + CALLED_CLASS] = calledClass;
    callCount++;
  }

  /** About how many bytes of the heap it takes. */
  int weight() {
    return 256 + code.length + lines.weight();
  }

  /** Whether the method is native. */
  public boolean isNative() {
    return (modifiers & ACC_NATIVE) != 0;
  }

  /** Whether the address {@code bcp} lies in its bytecodes. */
  public boolean hasBytecodeAt(long bcp) {
    return bcp >= bytecodes && bcp < bytecodes + codeSize;
  }

  /** The source line of a bytecode, or {@link FrameBuffer#UNKNOWN}. */
  public int lineAt(int bci) {
    return lines.lineAt(bci);
  }

  /** The method that was at this address before, or null. */
  JavaMethod former() {
    return former;
  }

  /** One former is kept, not a chain of them. */
  void setFormer(JavaMethod replaced) {
    former = replaced;
    replaced.former = null;
  }
}
