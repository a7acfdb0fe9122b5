package stackweave.hotspot.memory;

/**
 * Reads memory of the own process as it is, without the kernel. An address that is not mapped kills
 * the process: only for regions that are proved never to be unmapped ({@link LastingMemory} has the
 * list). Implemented outside of this module; need not be thread-safe.
 */
public interface DirectMemory {
  /** The 8 bytes at {@code address}, in native byte order; need not be aligned. */
  long readLong(long address);

  /** Copies {@code length} bytes from {@code address} on. */
  void read(long address, byte[] target, int offset, int length);
}
