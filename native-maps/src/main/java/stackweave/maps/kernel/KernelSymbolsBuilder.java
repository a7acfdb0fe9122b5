package stackweave.maps.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import stackweave.unwind.TableMemory;

/**
 * Makes a {@link KernelSymbolTable} of the lines of /proc/kallsyms: collects what names code, sorts
 * it, and decides how far each symbol reaches. What it collects is given back by {@link #close}.
 */
final class KernelSymbolsBuilder implements AutoCloseable {
  /** In place of a name's offset: what begins here has no name. */
  static final int GAP = -1;

  /** The kernel itself as owner of a symbol; modules are numbered from 1. */
  private static final short KERNEL = 0;

  private static final String BPF = "bpf";

  private static final long PAGE = 4096;

  private static final byte[] STEXT = "_stext".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TEXT = "_text".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ETEXT = "_etext".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SINITTEXT = "_sinittext".getBytes(StandardCharsets.US_ASCII);

  /** In place of an address that no line had. */
  private static final long UNKNOWN = Long.MAX_VALUE;

  private final KernelModules modules;

  /** Lengths of BPF programs by address. */
  private final Map<Long, Long> programs = new HashMap<>();

  private final Map<String, Short> owners = new HashMap<>();
  private String[] ownerNames = new String[16];

  /** The owner in the last line that had one, and its number. */
  private byte[] lastOwner = new byte[0];

  private short lastOwnerNumber;

  // The record of a collected symbol. All addresses have their highest bit inverted, so that signed
  // comparison sorts them.
  private static final int ADDRESS = 0;
  private static final int NAME = 8;
  private static final int OWNER = 12;
  private static final int RECORD = 16;
  private static final int FIRST_RECORDS = 1 << 16;
  private static final int FIRST_NAMES = 1 << 20;

  private final TableMemory memory;
  private ByteBuffer records;
  private int count;
  private ByteBuffer names;
  private int namesLength;
  private boolean othersOnly;
  private long textStart = UNKNOWN;
  private long textEnd = UNKNOWN;
  private long initStart = UNKNOWN;

  // The result.
  private LongBuffer starts;
  private IntBuffer offsets;
  private int filled;
  private int symbols;

  /**
   * @param memory for the symbols, and for intermediate data
   */
  KernelSymbolsBuilder(KernelModules modules, long[] programs, TableMemory memory) {
    this.modules = modules;
    this.memory = memory;
    this.records = allocate(FIRST_RECORDS * RECORD);
    this.names = memory.allocate(FIRST_NAMES);
    for (int i = 0; i + 1 < programs.length; i += 2) {
      this.programs.put(programs[i], programs[i + 1]);
    }
  }

  /** Takes the symbols of modules and programs alone, which follow the kernel's own. */
  void leaveOutTheKernel() {
    othersOnly = true;
  }

  /** Reads all complete lines; returns how many bytes they are. */
  int lines(byte[] text, int length) {
    if (othersOnly && owners.isEmpty()) {
      int end = length;
      while (end > 0 && text[end - 1] != '\n') {
        end--;
      }
      if (end < 2 || text[end - 2] != ']') {
        return end; // up to here they are all of the kernel
      }
    }
    int from = 0;
    for (int at = 0; at < length; at++) {
      if (text[at] == '\n') {
        line(text, from, at);
        from = at + 1;
      }
    }
    return from;
  }

  /** Reads the line between two positions of the text. */
  void line(byte[] text, int from, int to) {
    int at = from;
    while (at < to && text[at] > ' ') {
      at++;
    }
    long address = KernelText.address(text, from, at);
    int name = at + 3;
    if (address == 0 || name >= to) {
      return;
    }
    int end = name;
    while (end < to && text[end] > ' ') {
      end++;
    }
    if (othersOnly && end + 2 >= to) {
      return;
    }
    short owner = end + 2 < to ? owner(text, end + 2, to) : KERNEL;
    long turned = address ^ Long.MIN_VALUE;
    if (owner == KERNEL && text[name] == '_') {
      bounds(turned, text, name, end);
    }
    int type = text[at + 1] | 0x20;
    if (type == 't' || type == 'w') {
      add(turned, text, name, end - name, owner);
    }
  }

  /** Takes the bounds of the kernel's code from symbols of any type. */
  private void bounds(long address, byte[] text, int from, int to) {
    if (is(STEXT, text, from, to) || is(TEXT, text, from, to)) {
      textStart = Math.min(textStart, address);
    } else if (is(ETEXT, text, from, to)) {
      textEnd = address;
    } else if (is(SINITTEXT, text, from, to)) {
      initStart = address;
    }
  }

  private static boolean is(byte[] name, byte[] text, int from, int to) {
    return Arrays.equals(name, 0, name.length, text, from, to);
  }

  private ByteBuffer allocate(int bytes) {
    return memory.allocate(bytes).order(ByteOrder.nativeOrder());
  }

  /** Copies a buffer to a larger one and releases the old one. */
  private ByteBuffer moved(ByteBuffer old, int length, ByteBuffer place) {
    place.put(0, old, 0, length);
    memory.release(old);
    return place;
  }

  private long address(int symbol) {
    return records.getLong(symbol * RECORD + ADDRESS);
  }

  private int nameOffset(int symbol) {
    return records.getInt(symbol * RECORD + NAME);
  }

  private short ownerOf(int symbol) {
    return records.getShort(symbol * RECORD + OWNER);
  }

  @Override
  public void close() {
    memory.release(records);
    records = null;
    if (starts == null) {
      memory.release(names);
      names = null;
    }
  }

  /**
   * The number of a symbol's owner. A module's symbols are contiguous, so it is mostly that of the
   * line before.
   */
  private short owner(byte[] text, int from, int to) {
    if (!Arrays.equals(lastOwner, 0, lastOwner.length, text, from, to)) {
      lastOwnerNumber = ownerNamed(text, from, to);
      lastOwner = Arrays.copyOfRange(text, from, to);
    }
    return lastOwnerNumber;
  }

  private short ownerNamed(byte[] text, int from, int to) {
    String name = new String(text, from, to - from, StandardCharsets.US_ASCII).replace("]", "");
    Short known = owners.get(name);
    if (known != null) {
      return known;
    }
    int number = Math.min(owners.size() + 1, Short.MAX_VALUE);
    if (number == ownerNames.length) {
      ownerNames = Arrays.copyOf(ownerNames, 2 * number);
    }
    ownerNames[number] = name;
    owners.put(name, (short) number);
    return (short) number;
  }

  private void add(long address, byte[] text, int name, int length, short owner) {
    if (count * RECORD == records.capacity()) {
      records = moved(records, count * RECORD, allocate(2 * count * RECORD));
    }
    if (names.capacity() - namesLength <= length) {
      names = moved(names, namesLength, memory.allocate(2 * names.capacity() + length));
    }
    int at = count++ * RECORD;
    records.putLong(at + ADDRESS, address);
    records.putInt(at + NAME, namesLength);
    records.putShort(at + OWNER, owner);
    names.put(namesLength, text, name, length);
    namesLength += length + 1;
  }

  /** Sorted by address; the first of several symbols of one address stays the first. */
  KernelSymbolTable build() {
    sort();
    if (!othersOnly) {
      completeBounds();
    }
    starts = allocate(2 * count * Long.BYTES).asLongBuffer();
    offsets = allocate(2 * count * Integer.BYTES).asIntBuffer();
    for (int i = 0; i < count; i++) {
      int next = i + 1;
      while (next < count && address(next) == address(i)) {
        next++;
      }
      long end = end(i, next);
      if (end == address(i)) {
        gap(end);
      } else {
        fill(address(i), nameOffset(i));
        symbols++;
        // After the last symbol of an address: those before it are other names of the same code.
        if (next == i + 1 && (next == count || end < address(next))) {
          gap(end);
        }
      }
    }
    return new KernelSymbolTable(
        starts.limit(filled),
        offsets.limit(filled),
        names,
        symbols,
        textStart ^ Long.MIN_VALUE,
        textEnd ^ Long.MIN_VALUE);
  }

  /** Estimates missing bounds: kernels with few symbols may lack those of their code. */
  private void completeBounds() {
    long first = UNKNOWN;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      if (ownerOf(i) == KERNEL && address(i) < initStart) {
        first = Math.min(first, address(i));
        last = Math.max(last, address(i));
      }
    }
    if (textStart == UNKNOWN) {
      textStart = first;
    }
    if (textEnd == UNKNOWN) {
      textEnd = Math.max(textStart, endOfPage(last));
    }
  }

  /**
   * The end of what symbol {@code i} covers; its start if nothing is certain. In the kernel's own
   * code (_stext to _etext; boot code is freed and never runs again, core_kernel_text in
   * kernel/extable.c) it reaches to the next symbol. In a live module it does, too, and the last
   * one to the end of its page, as a module's code has pages of its own (kernel/module/main.c). A
   * BPF program has its length: programs share pages with others, and those made from classic
   * filters, such as seccomp's, have no symbol (bpf_prog_kallsyms_candidate in kernel/bpf/core.c).
   * Elsewhere, as in trampolines, nothing is named.
   *
   * @param next the first symbol of another address, or {@link #count}
   */
  private long end(int i, int next) {
    long start = address(i);
    long limit = next < count ? address(next) : Long.MAX_VALUE;
    short owner = ownerOf(i);
    if (owner == KERNEL) {
      return start < textStart || start >= textEnd ? start : Math.min(limit, textEnd);
    }
    if (ownerNames[owner].equals(BPF)) {
      long length = programs.getOrDefault(start ^ Long.MIN_VALUE, 0L);
      return length <= 0 ? start : Math.min(limit, start + length);
    }
    KernelModules.Module module = modules.named(ownerNames[owner]);
    if (module == null || !module.holds(start ^ Long.MIN_VALUE)) {
      return start;
    }
    long moduleEnd = Math.min(limit, module.end() ^ Long.MIN_VALUE);
    boolean goesOn = next < count && ownerOf(next) == owner && moduleEnd == limit;
    return goesOn ? limit : Math.min(moduleEnd, endOfPage(start));
  }

  private static long endOfPage(long address) {
    return (address & -PAGE) + PAGE;
  }

  private void gap(long address) {
    if (filled == 0 || offsets.get(filled - 1) != GAP) {
      fill(address, GAP);
    }
  }

  private void fill(long address, int offset) {
    starts.put(filled, address);
    offsets.put(filled++, offset);
  }

  /**
   * A natural merge sort between two buffers: the kernel's own symbols are sorted already, those of
   * its modules after them are not.
   */
  private void sort() {
    ByteBuffer source = records;
    ByteBuffer target = null;
    while (runEnd(source, 0) < count) {
      target = target == null ? allocate(records.capacity()) : target;
      for (int from = 0; from < count; ) {
        int middle = runEnd(source, from);
        int to = middle < count ? runEnd(source, middle) : count;
        merge(source, target, from, middle, to);
        from = to;
      }
      ByteBuffer last = source;
      source = target;
      target = last;
    }
    memory.release(target);
    records = source;
  }

  private int runEnd(ByteBuffer from, int begin) {
    int end = begin + 1;
    while (end < count
        && from.getLong((end - 1) * RECORD + ADDRESS) <= from.getLong(end * RECORD + ADDRESS)) {
      end++;
    }
    return Math.min(end, count);
  }

  private static void merge(ByteBuffer source, ByteBuffer target, int from, int middle, int to) {
    int left = from;
    int right = middle;
    for (int i = from; i < to; i++) {
      boolean takeLeft =
          right == to
              || (left < middle
                  && source.getLong(left * RECORD + ADDRESS)
                      <= source.getLong(right * RECORD + ADDRESS));
      int taken = takeLeft ? left++ : right++;
      target.putLong(i * RECORD, source.getLong(taken * RECORD));
      target.putLong(i * RECORD + Long.BYTES, source.getLong(taken * RECORD + Long.BYTES));
    }
  }
}
