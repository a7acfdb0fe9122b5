package stackweave.maps.kernel;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import stackweave.unwind.TableMemory;
import stackweave.unwind.section.SortedIndex;

/**
 * Makes a {@link KernelSymbolTable} of lines of /proc/kallsyms: collects what names code, sorts it,
 * and decides how far each symbol reaches. Either of the kernel's own symbols, which come first, or
 * of all others, whose lines end with their owner in brackets.
 */
final class KernelSymbolsReader {
  /** Reads of up to this many bytes use a buffer on the stack; longer than any line. */
  private static final int BUFFER = 1 << 13;

  private static final int FIRST_NAMES = 1 << 21;
  private static final int ADDRESS_DIGITS = 16;

  /** Address, space, type, space. */
  private static final int NAME = ADDRESS_DIGITS + 3;

  private static final long PAGE = 4096;
  private static final byte[] ETEXT = "_etext\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SINITTEXT = "_sinittext\n".getBytes(StandardCharsets.US_ASCII);

  /** Stands for the address of a symbol that no line had: above all others, as unsigned numbers. */
  private static final long UNKNOWN = -1;

  private final boolean own;
  private final KernelModules modules;

  private final TableMemory memory;
  private final SortedIndex index = new SortedIndex(1 << 16);

  /** The text behind the type of each symbol, line feed included. */
  private ByteBuffer names;

  private int namesLength;

  /** Whether all symbols came in order, as the kernel's own do: to sort them would take 0.1 s. */
  private boolean sorted = true;

  private boolean shown;
  private long textEnd = UNKNOWN;
  private long initStart = UNKNOWN;

  private KernelSymbolsReader(boolean own, KernelModules modules, TableMemory memory) {
    this.own = own;
    this.modules = modules;
    this.memory = memory;
    this.names = memory.allocate(FIRST_NAMES);
  }

  /**
   * The symbols of the kernel's own code; none where addresses are hidden.
   *
   * @throws IOException if the file can't be read
   */
  static KernelSymbolTable own(Path kallsyms, TableMemory memory) throws IOException {
    return new KernelSymbolsReader(true, new KernelModules(Map.of()), memory).read(kallsyms);
  }

  /**
   * The symbols of modules, as {@link KernelSymbols#readOthers} has it.
   *
   * @throws IOException if the file can't be read
   */
  static KernelSymbolTable others(Path kallsyms, KernelModules modules, TableMemory memory)
      throws IOException {
    return new KernelSymbolsReader(false, modules, memory).read(kallsyms);
  }

  private KernelSymbolTable read(Path kallsyms) throws IOException {
    try (InputStream in = new FileInputStream(kallsyms.toFile())) {
      byte[] text = new byte[BUFFER + 1];
      int length = 0;
      boolean more = true;
      while (more) {
        int read = in.read(text, length, BUFFER - length);
        length += Math.max(read, 0);
        if (read <= 0 && length > 0) {
          text[length++] = '\n'; // the last line may lack it
        }
        int end = length;
        while (end > 0 && text[end - 1] != '\n') {
          end--;
        }
        more = lines(text, end) && read > 0;
        System.arraycopy(text, end, text, 0, length - end);
        // A line that is longer than the buffer is no line of this format.
        length = end == 0 && length == BUFFER ? 0 : length - end;
      }
      return table();
    } catch (IOException e) {
      memory.release(names);
      throw e;
    }
  }

  /** Takes whole lines; false if no more are needed. */
  private boolean lines(byte[] text, int end) {
    boolean owned = end > 1 && text[end - 2] == ']';
    if (!own && !owned && index.size() == 0) {
      return true; // up to here all are the kernel's own
    }
    int from = 0;
    for (int at = 0; at < end; at++) {
      if (text[at] == '\n') {
        line(text, from, at + 1);
        from = at + 1;
      }
    }
    // Where addresses are hidden all are 0. Up to Linux 6.14 x86-64 has some small ones first.
    return own ? shown && !owned : true;
  }

  /** Takes a line, line feed included. */
  private void line(byte[] text, int from, int to) {
    if (to - from <= NAME + 1 || own == (text[to - 2] == ']')) {
      return;
    }
    long address = 0;
    for (int at = from; at < from + ADDRESS_DIGITS; at++) {
      int digit = Character.digit(text[at], 16);
      if (digit < 0) {
        return;
      }
      address = address << 4 | digit;
    }
    if (address == 0) {
      return;
    }
    shown = true;
    int name = from + NAME;
    if (own && Arrays.equals(text, name, to, ETEXT, 0, ETEXT.length)) {
      textEnd = address;
    } else if (own && Arrays.equals(text, name, to, SINITTEXT, 0, SINITTEXT.length)) {
      initStart = address;
    }
    int type = text[from + ADDRESS_DIGITS + 1] | 0x20;
    if (type == 't' || type == 'w') {
      int length = to - name;
      if (names.capacity() - namesLength < length) {
        ByteBuffer larger = memory.allocate(2 * names.capacity());
        larger.put(0, names, 0, namesLength);
        memory.release(names);
        names = larger;
      }
      int last = index.size() - 1;
      sorted &= last < 0 || Long.compareUnsigned(index.start(last), address) <= 0;
      names.put(namesLength, text, name, length);
      index.add(address, namesLength);
      namesLength += length;
    }
  }

  /** Sorts the symbols; of several symbols of one address the first one of the file stays. */
  private KernelSymbolTable table() {
    if (!sorted) {
      index.sort();
    }
    if (textEnd == UNKNOWN) {
      // Kernels with few symbols lack this one.
      int last = index.floor(initStart - 1);
      textEnd = last < 0 ? 0 : endOfPage(index.start(last));
    }
    ByteBuffer symbols = memory.allocate(KernelSymbolTable.SYMBOL * index.size());
    int next = 0;
    for (int i = 0; i < index.size(); i = next) {
      long start = index.start(i);
      next = i + 1;
      while (next < index.size() && index.start(next) == start) {
        next++;
      }
      long length = own ? textEnd - start : otherLength(i, next);
      if (next < index.size()) {
        length = Math.min(length, index.start(next) - start);
      }
      if (length > 0) {
        symbols.putLong(start);
        symbols.putInt((int) Math.min(length, Integer.MAX_VALUE)).putInt(index.value(i));
      }
    }
    return new KernelSymbolTable(symbols.flip(), names);
  }

  /**
   * How long symbol {@code i} may be, if it is a module's; 0 if nothing is certain. A module's
   * symbol reaches to its next one, and the last one to the end of its page.
   *
   * @param next the first symbol of another address, or how many there are
   */
  private long otherLength(int i, int next) {
    long start = index.start(i);
    String owner = ownerOf(i);
    KernelModules.Module module = modules.named(owner);
    if (module == null || !module.holds(start)) {
      return 0;
    }
    boolean goesOn =
        next < index.size() && module.holds(index.start(next)) && ownerOf(next).equals(owner);
    return (goesOn ? module.end() : Math.min(module.end(), endOfPage(start))) - start;
  }

  private static long endOfPage(long address) {
    return (address & -PAGE) + PAGE;
  }

  /** The owner of a symbol: what stands in brackets behind its name. */
  private String ownerOf(int symbol) {
    StringBuilder owner = new StringBuilder();
    int at = index.value(symbol);
    while (names.get(at) > ' ') {
      at++;
    }
    for (at += 2; names.get(at) != ']'; at++) {
      owner.append((char) names.get(at));
    }
    return owner.toString();
  }
}
