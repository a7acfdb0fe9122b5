package stackweave.maps.jit;

import java.nio.ByteBuffer;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.maps.jit.JitFormatException.Reason;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.TableMemory;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads the names that an engine registers by GDB's JIT interface (GDB manual, "JIT Compilation
 * Interface"): a list of ELF files in memory, from {@code __jit_debug_descriptor} on. The engine
 * may change the list while it is read, so all that is read is checked like any input. For 64-bit
 * processes of this byte order.
 */
public final class GdbJit {
  /** The descriptor's name. */
  public static final String DESCRIPTOR = "__jit_debug_descriptor";

  /** The most objects of a list that are read. */
  static final int MAX_OBJECTS = 4096;

  /** The largest object, and the most bytes of all. */
  private static final int MAX_OBJECT_BYTES = 4 << 20;

  private static final long MAX_BYTES = 32L << 20;

  /** struct jit_descriptor: version (u32), action (u32), relevant entry, first entry. */
  private static final int FIRST_ENTRY = 16;

  /** struct jit_code_entry: next, previous, address and size of the object. */
  private static final int SYMFILE = 16;

  private static final int SYMFILE_SIZE = 24;
  private static final int VERSION = 1;

  private static final int SYMBOL_BYTES = 24;
  private static final int STT_FUNC = 2;

  private GdbJit() {}

  /**
   * A number that changes when objects are added or removed; cheap, compared to reading them.
   *
   * @param descriptor its address
   * @throws JitFormatException if the list is too long
   * @throws UnreadableMemoryException if it leads to where nothing is
   */
  public static long signature(MemoryReader memory, long descriptor)
      throws JitFormatException, UnreadableMemoryException {
    long hash = 1;
    int objects = 0;
    long entry = first(memory, descriptor);
    while (entry != 0) {
      count(++objects);
      hash = (hash ^ entry) * 0x9E37_79B9_7F4A_7C15L;
      hash = (hash ^ memory.readLong(entry + SYMFILE)) * 0x9E37_79B9_7F4A_7C15L;
      hash = (hash ^ memory.readLong(entry + SYMFILE_SIZE)) * 0x9E37_79B9_7F4A_7C15L;
      entry = memory.readLong(entry);
    }
    return hash;
  }

  /**
   * Adds the functions of all objects; an object that is malformed or gone is left out.
   *
   * @param descriptor its address
   * @param owner the library it is in
   * @throws JitFormatException if there are too many; those before are added
   * @throws UnreadableMemoryException if the list leads to where nothing is; likewise
   */
  public static void read(MemoryReader memory, long descriptor, String owner, JitSymbols to)
      throws JitFormatException, UnreadableMemoryException {
    to.source(owner);
    int objects = 0;
    long bytes = 0;
    long entry = first(memory, descriptor);
    while (entry != 0) {
      count(++objects);
      long address = memory.readLong(entry + SYMFILE);
      long size = memory.readLong(entry + SYMFILE_SIZE);
      if (size > 0 && size <= MAX_OBJECT_BYTES) {
        bytes += size;
        if (bytes > MAX_BYTES) {
          throw new JitFormatException(Reason.TOO_LARGE, bytes);
        }
        object(memory, address, (int) size, to);
      }
      entry = memory.readLong(entry);
    }
  }

  private static void count(int objects) throws JitFormatException {
    if (objects > MAX_OBJECTS) {
      throw new JitFormatException(Reason.TOO_MANY, objects);
    }
  }

  private static long first(MemoryReader memory, long descriptor)
      throws JitFormatException, UnreadableMemoryException {
    if ((int) memory.readLong(descriptor) != VERSION) {
      throw new JitFormatException(Reason.UNKNOWN_VERSION, 0);
    }
    return memory.readLong(descriptor + FIRST_ENTRY);
  }

  private static void object(MemoryReader memory, long address, int size, JitSymbols to)
      throws JitFormatException {
    byte[] copy = new byte[size];
    try {
      memory.read(address, copy, 0, size);
      read(copy, to);
    } catch (UnreadableMemoryException | ElfFormatException e) {
      // Gone meanwhile, or no ELF file.
    }
  }

  /** Adds the functions of one object. */
  static void read(byte[] object, JitSymbols to) throws JitFormatException, ElfFormatException {
    FileElfImage image =
        FileElfImage.open(new ImageBytes.OfBuffer(ByteBuffer.wrap(object)), TableMemory.HEAP);
    Symbols symbols = image.symtab();
    if (symbols == null) {
      return;
    }
    ByteBuffer table = symbols.table();
    ByteBuffer names = symbols.names();
    byte[] name = new byte[JitSymbols.MAX_NAME_BYTES];
    for (int at = 0; at <= table.limit() - SYMBOL_BYTES; at += SYMBOL_BYTES) {
      int section = table.getShort(at + 6) & 0xffff;
      if ((table.get(at + 4) & 15) == STT_FUNC && section != 0) {
        // In a relocatable object addresses count from their section, whose address is the code's.
        boolean relative = image.isRelocatable() && section < symbols.sections().size();
        long base = relative ? symbols.sections().get(section).address() : 0;
        int length = nameAt(names, table.getInt(at) & 0xffff_ffffL, name);
        to.add(base + table.getLong(at + 8), table.getLong(at + 16), name, 0, length);
      }
    }
  }

  private static int nameAt(ByteBuffer names, long offset, byte[] to) {
    int length = 0;
    for (long at = offset; at < names.limit() && length < to.length; at++) {
      byte next = names.get((int) at);
      if (next == 0) {
        break;
      }
      to[length++] = next;
    }
    return length;
  }
}
