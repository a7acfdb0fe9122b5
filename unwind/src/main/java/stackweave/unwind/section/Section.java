package stackweave.unwind.section;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The bytes of one ELF section and where it is loaded.
 *
 * @param bytes from the buffer's index 0 to its limit; never written, never moved: position and
 *     mark stay as they are. Its byte order is the one of the ELF file (it matters on AArch64 only:
 *     the other architectures have just one, and SFrame says its own)
 * @param address ELF virtual address of the first byte
 */
public record Section(ByteBuffer bytes, long address) {
  /** Keeps the buffer itself. */
  public Section {
    Objects.requireNonNull(bytes, "bytes");
  }
}
