package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.util.List;
import stackweave.unwind.Architecture;

/**
 * A stub of a procedure linkage table: code by which an image calls a function of another one, or
 * one that the loader chooses. No symbol covers it, so it is named by the function that the loader
 * enters into the slot that it jumps through, as objdump and gdb do: {@code memcpy@plt}.
 *
 * <p>Source: the processor supplements of the System V ABI, and what GNU ld and lld write.
 *
 * @param start its first virtual address
 * @param name of the function, raw, without {@code @plt}
 */
public record LinkageStub(long start, String name) {
  /** Follows the function's name where it is shown. */
  public static final String SUFFIX = "@plt";

  /** Bytes from the start of a stub that its jump is looked for in. */
  static final int BYTES = 16;

  private static final int SHORT = 8;
  private static final int BTI = 0xd503245f;

  /** Where a stub begins, and the slot through which it jumps. */
  record Jump(long start, long slot) {}

  static boolean isTable(String section) {
    return section.equals(".plt") || section.startsWith(".plt.") || section.equals(".iplt");
  }

  /**
   * The stub around an address.
   *
   * @param code of the table, in the image's byte order
   * @param table the table's first virtual address
   * @return null if the code is not known
   */
  static Jump jumpAt(Architecture architecture, ByteBuffer code, long table, long address) {
    return switch (architecture) {
      case X86_64 -> x86(code, table, address);
      case AARCH64 -> aarch64(code, table, address);
      case S390X -> null;
    };
  }

  /** {@code endbr64; bnd jmp *slot(%rip)}, the first two or not, in 16 bytes; or in 8. */
  private static Jump x86(ByteBuffer code, long table, long address) {
    int at = (int) (address - table);
    for (int size : new int[] {BYTES, SHORT}) {
      int start = at / size * size;
      int i = start;
      if (i + BYTES <= code.limit() && code.getInt(i) == 0xfa1e0ff3) {
        i += 4;
      }
      i += i < code.limit() && code.get(i) == (byte) 0xf2 ? 1 : 0;
      boolean jumps = i + 6 <= code.limit() && code.getShort(i) == 0x25ff;
      // In 16 bytes there may also be two stubs of 8.
      if (jumps && at - start < (i == start && isShort(code, start) ? SHORT : size)) {
        return new Jump(table + start, table + i + 6 + code.getInt(i + 2));
      }
    }
    return null;
  }

  private static boolean isShort(ByteBuffer code, int start) {
    return start + BYTES <= code.limit() && code.getShort(start + SHORT) == 0x25ff;
  }

  /** {@code bti c; adrp x16, page; ldr x17, [x16, offset]; add; br x17}, the first or not. */
  private static Jump aarch64(ByteBuffer code, long table, long address) {
    int at = (int) (address - table) & -4;
    // The nearest adrp at or before the address; from bti on, that behind it.
    int last = at + 4 <= code.limit() && code.getInt(at) == BTI ? at + 4 : at;
    for (int i = last; i >= 0 && i > at - BYTES - SHORT; i -= 4) {
      if (i + 8 <= code.limit() && (code.getInt(i) & 0x9f00001f) == 0x90000010) {
        int adrp = code.getInt(i);
        int ldr = code.getInt(i + 4);
        long pages = (long) ((adrp >> 5 & 0x7ffff) << 2 | adrp >> 29 & 3) << 43 >> 43;
        long slot = (table + i & -4096) + (pages << 12) + ((ldr >> 10 & 0xfff) << 3);
        int start = i >= 4 && code.getInt(i - 4) == BTI ? i - 4 : i;
        return (ldr & 0xffc003ff) == 0xf9400211 ? new Jump(table + start, slot) : null;
      }
    }
    return null;
  }

  /**
   * The function that a section of relocations enters into a slot.
   *
   * @param dynsym the symbols that it refers to
   * @return null if it enters none
   */
  static String relocated(long slot, ByteBuffer relocations, ElfImage.Symbols dynsym) {
    for (int at = 0; at <= relocations.limit() - ElfHeaders.RELA_SIZE; at += ElfHeaders.RELA_SIZE) {
      if (relocations.getLong(at) == slot) {
        return nameOf(relocations.getLong(at + 8) >>> 32, dynsym);
      }
    }
    return null;
  }

  /** The function that the loader chooses for a slot, or null. */
  static String chosenFor(long slot, List<IndirectFunctions.Slot> chosen) {
    for (IndirectFunctions.Slot each : chosen) {
      if (each.address() == slot) {
        return each.name();
      }
    }
    return null;
  }

  private static String nameOf(long symbol, ElfImage.Symbols dynsym) {
    if (symbol == 0 || symbol > dynsym.table().limit() / ElfHeaders.SYMBOL_SIZE - 1) {
      return null;
    }
    int name = dynsym.table().getInt((int) symbol * ElfHeaders.SYMBOL_SIZE);
    return name > 0 && name < dynsym.names().limit() ? Strings.at(dynsym.names(), name) : null;
  }
}
