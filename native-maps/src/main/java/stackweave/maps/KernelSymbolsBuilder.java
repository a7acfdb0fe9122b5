package stackweave.maps;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes {@link KernelSymbols} of the lines of /proc/kallsyms: collects what names code, sorts it,
 * and decides how far each symbol reaches.
 */
final class KernelSymbolsBuilder {
  /** Instead of a name's place: what begins here has no name. */
  static final int GAP = -1;

  /** The kernel itself, as owner of a symbol; modules are counted from 1. */
  private static final short KERNEL = 0;

  private static final String BPF = "bpf";

  private static final long PAGE = 4096;

  private static final byte[] STEXT = "_stext".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TEXT = "_text".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ETEXT = "_etext".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SINITTEXT = "_sinittext".getBytes(StandardCharsets.US_ASCII);

  /** Instead of an address that no line has given. */
  private static final long UNKNOWN = Long.MAX_VALUE;

  private final KernelModules modules;

  /** Lengths of BPF programs by address. */
  private final Map<Long, Long> programs = new HashMap<>();

  private final Map<String, Short> owners = new HashMap<>();
  private String[] ownerNames = new String[16];

  // All addresses have their highest bit turned, so that signed comparison sorts them.
  private long[] addresses = new long[1 << 16];
  private int[] nameOffsets = new int[1 << 16];
  private short[] ownerOf = new short[1 << 16];
  private int count;
  private byte[] names = new byte[1 << 20];
  private int namesLength;
  private boolean shown;
  private long textStart = UNKNOWN;
  private long textEnd = UNKNOWN;
  private long initStart = UNKNOWN;

  // What becomes of them.
  private long[] starts;
  private int[] offsets;
  private int filled;
  private int symbols;

  KernelSymbolsBuilder(KernelModules modules, long[] programs) {
    this.modules = modules;
    for (int i = 0; i + 1 < programs.length; i += 2) {
      this.programs.put(programs[i], programs[i + 1]);
    }
  }

  /** Whether an address was met that is not 0. */
  boolean shown() {
    return shown;
  }

  /** Takes all lines that are whole; returns how many bytes they are. */
  int lines(byte[] text, int length) {
    int from = 0;
    for (int at = 0; at < length; at++) {
      if (text[at] == '\n') {
        line(text, from, at);
        from = at + 1;
      }
    }
    return from;
  }

  /** Takes the line between two places of the text. */
  void line(byte[] text, int from, int to) {
    int at = from;
    long address = 0;
    while (at < to && text[at] > ' ') {
      address = address << 4 | (Character.digit(text[at++], 16) & 0xf);
    }
    shown |= address != 0;
    int name = at + 3;
    if (address == 0 || name >= to) {
      return;
    }
    int end = name;
    while (end < to && text[end] > ' ') {
      end++;
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

  /** These say where code of the kernel begins and ends, whatever their type. */
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

  private short owner(byte[] text, int from, int to) {
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
    if (count == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * count);
      nameOffsets = Arrays.copyOf(nameOffsets, 2 * count);
      ownerOf = Arrays.copyOf(ownerOf, 2 * count);
    }
    if (names.length - namesLength <= length) {
      names = Arrays.copyOf(names, 2 * names.length + length);
    }
    addresses[count] = address;
    nameOffsets[count] = namesLength;
    ownerOf[count++] = owner;
    System.arraycopy(text, name, names, namesLength, length);
    namesLength += length + 1;
  }

  /** Sorted by address; the first of several symbols of one address stays the first. */
  KernelSymbols build() {
    sort();
    completeBounds();
    starts = new long[2 * count];
    offsets = new int[2 * count];
    for (int i = 0; i < count; i++) {
      int next = i + 1;
      while (next < count && addresses[next] == addresses[i]) {
        next++;
      }
      long end = end(i, next);
      if (end == addresses[i]) {
        gap(end);
      } else {
        fill(addresses[i], nameOffsets[i]);
        symbols++;
        // Behind the last symbol of an address: those before it are other names of the same code.
        if (next == i + 1 && (next == count || end < addresses[next])) {
          gap(end);
        }
      }
    }
    return new KernelSymbols(
        Arrays.copyOf(starts, filled),
        Arrays.copyOf(offsets, filled),
        Arrays.copyOf(names, namesLength),
        symbols,
        textStart ^ Long.MIN_VALUE,
        textEnd ^ Long.MIN_VALUE);
  }

  /** Kernels that keep few symbols may lack those that say where their code begins and ends. */
  private void completeBounds() {
    long first = UNKNOWN;
    long last = Long.MIN_VALUE;
    for (int i = 0; i < count; i++) {
      if (ownerOf[i] == KERNEL && addresses[i] < initStart) {
        first = Math.min(first, addresses[i]);
        last = Math.max(last, addresses[i]);
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
   * Behind what symbol {@code i} covers; its start where nothing is known to be its own.
   *
   * @param next the first symbol of another address, or {@link #count}
   */
  private long end(int i, int next) {
    long start = addresses[i];
    long limit = next < count ? addresses[next] : Long.MAX_VALUE;
    short owner = ownerOf[i];
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
    boolean goesOn = next < count && ownerOf[next] == owner && moduleEnd == limit;
    return goesOn ? limit : Math.min(moduleEnd, endOfPage(start));
  }

  private static long endOfPage(long address) {
    return (address & -PAGE) + PAGE;
  }

  private void gap(long address) {
    if (filled == 0 || offsets[filled - 1] != GAP) {
      fill(address, GAP);
    }
  }

  private void fill(long address, int offset) {
    starts[filled] = address;
    offsets[filled++] = offset;
  }

  /** The kernel's own symbols come sorted, those of its modules after them do not. */
  private void sort() {
    int sorted = Math.min(1, count);
    while (sorted < count && addresses[sorted - 1] <= addresses[sorted]) {
      sorted++;
    }
    Integer[] tail = new Integer[count - sorted];
    for (int i = 0; i < tail.length; i++) {
      tail[i] = sorted + i;
    }
    Arrays.sort(tail, Comparator.comparingLong(i -> addresses[i]));
    long[] sortedAddresses = new long[count];
    int[] sortedNames = new int[count];
    short[] sortedOwners = new short[count];
    int head = 0;
    int next = 0;
    for (int i = 0; i < count; i++) {
      boolean takeHead =
          next == tail.length || (head < sorted && addresses[head] <= addresses[tail[next]]);
      int symbol = takeHead ? head++ : tail[next++];
      sortedAddresses[i] = addresses[symbol];
      sortedNames[i] = nameOffsets[symbol];
      sortedOwners[i] = ownerOf[symbol];
    }
    addresses = sortedAddresses;
    nameOffsets = sortedNames;
    ownerOf = sortedOwners;
  }
}
