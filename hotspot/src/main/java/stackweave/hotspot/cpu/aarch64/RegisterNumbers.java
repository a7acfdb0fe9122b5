package stackweave.hotspot.cpu.aarch64;

/** Registers of AArch64 by DWARF number, as far as HotSpot's conventions name them. */
final class RegisterNumbers {
  static final int X3 = 3;
  static final int X12 = 12;
  static final int X13 = 13;
  static final int X19 = 19;

  /** The top of the interpreter's expression stack, above sp. */
  static final int X20 = 20;

  static final int X22 = 22;
  static final int X28 = 28;
  static final int X30 = 30;

  private RegisterNumbers() {}
}
