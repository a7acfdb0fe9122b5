package stackweave.hotspot;

import java.util.Arrays;

/** A Java method of the VM as it was when it was read. */
final class JavaMethod {
  private static final int ACC_NATIVE = 0x100;

  /** The Method* it was read from. */
  final long address;

  final long constMethod;

  /** Address of the bytecodes, and how many bytes they are. */
  final long bytecodes;

  final int codeSize;

  /** Id among the {@link HotSpotMethods}. */
  final int id;

  private final int modifiers;
  private final int[] lineBcis;
  private final int[] lines;
  private int checkedIn;

  JavaMethod(
      long address,
      long constMethod,
      long bytecodes,
      int codeSize,
      int id,
      int modifiers,
      LineTable lineTable) {
    this.address = address;
    this.constMethod = constMethod;
    this.bytecodes = bytecodes;
    this.codeSize = codeSize;
    this.id = id;
    this.modifiers = modifiers;
    this.lineBcis = lineTable.bcis();
    this.lines = lineTable.lines();
  }

  boolean isNative() {
    return (modifiers & ACC_NATIVE) != 0;
  }

  boolean hasBytecodeAt(long bcp) {
    return bcp >= bytecodes && bcp < bytecodes + codeSize;
  }

  /** The source line of a bytecode, or {@link FrameBuffer#UNKNOWN}. */
  int lineAt(int bci) {
    int i = Arrays.binarySearch(lineBcis, bci);
    if (i < 0) {
      i = -i - 2;
    }
    return bci < 0 || i < 0 ? FrameBuffer.UNKNOWN : lines[i];
  }

  /** The round of checks in which it was last found unchanged. */
  int checkedIn() {
    return checkedIn;
  }

  void setCheckedIn(int round) {
    checkedIn = round;
  }
}
