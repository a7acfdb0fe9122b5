package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.unwind.Architecture;

/**
 * The functions of an image that the loader chooses by the processor, such as libc's memcpy: the
 * symbol is that of a resolver, and the function that it returned has none in a stripped image. The
 * loader keeps what was chosen in a slot of the image, by which the image itself calls. Stateless.
 *
 * <p>Source: System V gABI, processor supplements, R_*_IRELATIVE; STT_GNU_IFUNC.
 */
public final class IndirectFunctions {
  private static final int STT_GNU_IFUNC = 10;

  /** libc has 40 slots; those above this limit are ignored. */
  private static final int MAX_SLOTS = 1_024;

  /**
   * A slot.
   *
   * @param address virtual address of 8 bytes that hold the chosen function's address
   * @param name of the function that it is
   */
  public record Slot(long address, String name) {}

  private IndirectFunctions() {}

  /**
   * The slots in the order of the file.
   *
   * @param relocations contents of the sections of relocations, in the image's byte order
   * @param dynsym the symbols of the resolvers
   */
  static List<Slot> of(
      Architecture architecture, List<ByteBuffer> relocations, ElfImage.Symbols dynsym) {
    int irelative = irelative(architecture);
    Map<Long, String> resolvers = resolvers(dynsym);
    List<Slot> slots = new ArrayList<>();
    for (ByteBuffer section : relocations) {
      for (int at = 0; at <= section.limit() - ElfHeaders.RELA_SIZE && slots.size() < MAX_SLOTS; ) {
        long info = section.getLong(at + 8);
        String name = (int) info == irelative ? resolvers.get(section.getLong(at + 16)) : null;
        if (name != null) {
          slots.add(new Slot(section.getLong(at), name));
        }
        at += ElfHeaders.RELA_SIZE;
      }
    }
    return slots;
  }

  private static int irelative(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> 37;
      case AARCH64 -> 1_032;
      case S390X -> 61;
    };
  }

  /**
   * Names by the resolver's address. Of several the usual one: strchr and not index or __strchr.
   */
  private static Map<Long, String> resolvers(ElfImage.Symbols dynsym) {
    Map<Long, String> resolvers = new HashMap<>();
    ByteBuffer table = dynsym.table();
    for (int at = 0; at <= table.limit() - ElfHeaders.SYMBOL_SIZE; at += ElfHeaders.SYMBOL_SIZE) {
      int name = table.getInt(at);
      if ((table.get(at + 4) & 15) == STT_GNU_IFUNC && name > 0 && name < dynsym.names().limit()) {
        String text = Strings.at(dynsym.names(), name);
        if (!text.startsWith("_")) {
          resolvers.merge(table.getLong(at + 8), text, (a, b) -> a.compareTo(b) > 0 ? a : b);
        }
      }
    }
    return resolvers;
  }
}
