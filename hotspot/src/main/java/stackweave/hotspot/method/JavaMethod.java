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
  private static final int[] NO_CALLS = {};

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

  /** As of {@link Body}. */
  final int nameIndices;

  /** The constant pool's cache; 0 as long as the class is not linked. */
  final long poolCache;

  private final byte[] code;
  private final int modifiers;
  private final int[] lineBcis;
  private final int[] lines;
  private int[] callBcis = NO_CALLS;
  private long[] calls;
  private long[] calledClasses;
  private int callCount;
  private JavaMethod former;

  /** Whether its class is linked, as that of running bytecodes is. */
  boolean isLinked() {
    return poolCache != 0 || (modifiers & ACC_NATIVE) != 0;
  }

  JavaMethod(long address, Body body, int id, int modifiers, Calls calls, LineTable lineTable) {
    this.address = address;
    this.constMethod = body.constMethod;
    this.bytecodes = body.bytecodes;
    this.codeSize = body.code.length;
    this.code = body.code;
    this.nameIndices = body.nameIndices;
    this.id = id;
    this.modifiers = modifiers;
    this.key = calls.key;
    this.holderName = calls.holderName;
    this.isInvoker = calls.isInvoker;
    this.constants = calls.constants;
    this.poolCache = calls.poolCache;
    this.lineBcis = lineTable.bcis();
    this.lines = lineTable.lines();
  }

  /**
   * The ConstMethod, and a copy of its bytecodes.
   *
   * @param nameIndices where the constant pool has the name (upper half) and the descriptor
   */
  record Body(long constMethod, long bytecodes, byte[] code, int nameIndices) {}

  /** What {@link CallSites} needs: what the method is called by, and where it names its callees. */
  record Calls(long key, long holderName, long constants, long poolCache, boolean isInvoker) {}

  int bytecode(int bci) {
    return code[bci] & 0xff;
  }

  /** Whether {@link #rememberCall} was told what is called there, if only that it is anything. */
  boolean remembersCall(int bci) {
    return callAt(bci) >= 0;
  }

  /** What {@link #rememberCall} was told, or {@link CallSites#ANYTHING}. */
  long calledAt(int bci) {
    int i = callAt(bci);
    return i < 0 ? CallSites.ANYTHING : calls[i];
  }

  /** What {@link #rememberCall} was told, or {@link CallSites#NO_CLASS}. */
  long classCalledAt(int bci) {
    int i = callAt(bci);
    return i < 0 ? CallSites.NO_CLASS : calledClasses[i];
  }

  private int callAt(int bci) {
    int i = callCount - 1;
    while (i >= 0 && callBcis[i] != bci) {
      i--;
    }
    return i;
  }

  void rememberCall(int bci, long called, long calledClass) {
    if (callCount == callBcis.length) {
      int length = Math.max(4, 2 * callCount);
      callBcis = Arrays.copyOf(callBcis, length);
      calls = callCount == 0 ? new long[length] : Arrays.copyOf(calls, length);
      calledClasses = callCount == 0 ? new long[length] : Arrays.copyOf(calledClasses, length);
    }
    callBcis[callCount] = bci;
    calledClasses[callCount] = calledClass;
    calls[callCount++] = called;
  }

  /** About how many bytes of the heap it takes. */
  int weight() {
    return 256 + code.length + 8 * lines.length;
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
    int i = Arrays.binarySearch(lineBcis, bci);
    if (i < 0) {
      i = -i - 2;
    }
    return bci < 0 || i < 0 ? FrameBuffer.UNKNOWN : lines[i];
  }

  /** The method that was at this address before, or null. */
  JavaMethod former() {
    return former;
  }

  @Override
  protected boolean hasPredecessor() {
    return former != null;
  }

  /** One former is kept, not a chain of them. */
  void setFormer(JavaMethod replaced) {
    former = replaced;
    replaced.former = null;
  }
}
