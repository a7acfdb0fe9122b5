package stackweave.hotspot.vmstructs;

import stackweave.hotspot.memory.MemoryCopy;

/**
 * One field of a VM structure, as vmStructs describe it.
 *
 * @param offset from the start of the structure; of a static field, its address
 * @param width in bytes: 1, 2, 4 or 8, of the type that the VM says the field has
 * @param signed whether a narrow value is sign-extended
 */
public record Field(long offset, int width, boolean signed) {

  /** The field of a structure that begins at the start of {@code piece}. */
  public long in(MemoryCopy piece) {
    return in(piece, 0);
  }

  /** The field of a structure that begins at {@code base} in {@code piece}. */
  public long in(MemoryCopy piece, int base) {
    int at = base + (int) offset;
    return switch (width) {
      case 1 -> signed ? (byte) piece.u1(at) : piece.u1(at);
      case 2 -> signed ? (short) piece.u2(at) : piece.u2(at);
      case 4 -> signed ? piece.i4(at) : piece.i4(at) & 0xffff_ffffL;
      default -> piece.i8(at);
    };
  }

  /** {@link #in} as an int, for lengths, offsets and indices. */
  public int intIn(MemoryCopy piece) {
    return (int) in(piece, 0);
  }

  /** The first byte after the field. */
  public int end() {
    return (int) offset + width;
  }
}
