package stackweave.hotspot.cpu.x86;

/** Registers of x86-64 by DWARF number, as far as HotSpot's conventions name them. */
final class RegisterNumbers {
  static final int RAX = 0;
  static final int RDX = 1;
  static final int RBX = 3;
  static final int RBP = 6;
  static final int R12 = 12;
  static final int R13 = 13;
  static final int R14 = 14;
  static final int R15 = 15;

  private RegisterNumbers() {}
}
