package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfHeaders.Segment;
import stackweave.unwind.Architecture;
import stackweave.unwind.cfi.CallFrameTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;

/**
 * An ELF image of a shared object or executable: segments, build id, symbol tables and unwind
 * sections. Read from a {@linkplain FileElfImage file}, or from {@linkplain MemoryElfImage memory}
 * if the file is gone. Everything here is found through program headers; the file adds what needs
 * section headers. A malformed part counts as absent, and {@link #problems} says why. Not
 * thread-safe.
 */
public abstract sealed class ElfImage permits FileElfImage, MemoryElfImage {
  /** Longer ids are rejected: build ids have 8 to 32 bytes. */
  private static final int MAX_BUILD_ID = 64;

  /** Longer hash chains are rejected: they hold a few symbols. */
  private static final int MAX_HASH_CHAIN = 1 << 16;

  private static final int SHN_UNDEF = 0;
  private static final int NT_GNU_BUILD_ID = 3;
  private static final int DT_HASH = 4;
  private static final int DT_STRTAB = 5;
  private static final int DT_SYMTAB = 6;
  private static final int DT_STRSZ = 10;
  private static final int DT_GNU_HASH = 0x6ffffef5;

  public final ElfHeaders headers;
  private final Set<String> problems = new LinkedHashSet<>();

  /**
   * A symbol table with its names.
   *
   * @param sections the section headers that its symbols refer to; empty if there are none
   * @param full whether it is an unfiltered .symtab, so that the gap between two symbols belongs to
   *     the first
   */
  public record Symbols(
      ByteBuffer table, ByteBuffer names, List<SectionHeader> sections, boolean full) {

    /** The virtual address of the defined symbol with this very name, of any type, or 0. */
    public long addressOf(String name) {
      byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
      for (int at = 0; at <= table.limit() - ElfHeaders.SYMBOL_SIZE; at += ElfHeaders.SYMBOL_SIZE) {
        if (table.getShort(at + 6) != SHN_UNDEF && Strings.equal(names, table.getInt(at), wanted)) {
          return table.getLong(at + 8);
        }
      }
      return 0;
    }
  }

  ElfImage(ElfHeaders headers) {
    this.headers = headers;
    if (headers.sectionProblem() != null) {
      problem("section headers", headers.sectionProblem());
    }
  }

  /** The bytes of a segment's range, by virtual address; checked against the segments. */
  abstract ByteBuffer at(long address, long size) throws ElfFormatException;

  /** The loaded segment that has all of a range; {@code extent} is how much there is of each. */
  final Segment loaded(long address, long size, ToLongFunction<Segment> extent)
      throws ElfFormatException {
    for (Segment s : headers.segments()) {
      long offset = address - s.vaddr();
      if (s.type() == ElfHeaders.PT_LOAD
          && offset >= 0
          && size >= 0
          && offset <= extent.applyAsLong(s) - size) {
        return s;
      }
    }
    throw new ElfFormatException(Reason.OUT_OF_BOUNDS, address);
  }

  /** The unwind sections; malformed ones are null and listed in {@link #problems}. */
  public abstract UnwindSections unwindSections();

  /** This image's own .symtab; null if it has none that can be read. */
  public abstract Symbols symtab();

  /** .dynsym; null if there is none that can be read. */
  public abstract Symbols dynsym();

  /** The processor that the image is for. */
  public Architecture architecture() {
    return headers.architecture();
  }

  /** The image's byte order. */
  public ByteOrder order() {
    return headers.order();
  }

  /** What was found malformed so far, one short text each: the part, what is wrong, and where. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** Adds a malformed part to {@link #problems}. */
  public final void problem(String part, Exception e) {
    problems.add(part + ": " + e.getMessage());
  }

  /**
   * Runtime address minus virtual address, if the byte at {@code fileOffset} is mapped at {@code
   * address}. Two segments can share a page of the file; the executable one is used, since only
   * executable mappings are looked up.
   *
   * @throws ElfFormatException if no PT_LOAD covers the offset
   */
  public final long bias(long address, long fileOffset) throws ElfFormatException {
    Segment found = null;
    for (Segment s : headers.segments()) {
      if (s.type() == ElfHeaders.PT_LOAD
          && fileOffset >= pageStart(s.offset())
          && fileOffset < s.offset() + s.fileSize()
          && (found == null || s.executable())) {
        found = s;
      }
    }
    if (found == null) {
      throw new ElfFormatException(Reason.OUT_OF_BOUNDS, fileOffset);
    }
    return address - (found.vaddr() + (fileOffset - found.offset()));
  }

  /** The lowest virtual address of any PT_LOAD, 0 if there is none. */
  public final long lowestAddress() {
    return loaded().mapToLong(Segment::vaddr).min().orElse(0);
  }

  /** The first virtual address above every PT_LOAD, 0 if there is none. */
  public final long highestAddress() {
    return loaded().mapToLong(s -> s.vaddr() + s.memorySize()).reduce(0, Math::max);
  }

  private Stream<Segment> loaded() {
    return headers.segments().stream().filter(s -> s.type() == ElfHeaders.PT_LOAD);
  }

  /**
   * The executable section that contains an address, or the executable segment if there are no
   * sections; null if none does.
   */
  public final UnknownCode codeAround(long address) {
    for (SectionHeader s : headers.sections()) {
      if (s.isExecutable() && address - s.address() >= 0 && address - s.address() < s.size()) {
        return new UnknownCode(s.address(), s.address() + s.size());
      }
    }
    for (Segment s : headers.segments()) {
      if (s.type() == ElfHeaders.PT_LOAD
          && s.executable()
          && address - s.vaddr() >= 0
          && address - s.vaddr() < s.memorySize()) {
        return new UnknownCode(s.vaddr(), s.vaddr() + s.memorySize());
      }
    }
    return null;
  }

  /** The build id in lower-case hexadecimal, or null. */
  public abstract String buildId();

  /** The build id that PT_NOTE holds, or null. */
  final String noteBuildId() {
    for (Segment s : headers.segments()) {
      if (s.type() == ElfHeaders.PT_NOTE) {
        try {
          String id = buildId(at(s.vaddr(), s.fileSize()));
          if (id != null) {
            return id;
          }
        } catch (ElfFormatException e) {
          problem("notes", e);
        }
      }
    }
    return null;
  }

  /** Notes: sizes of name and description, type, then both padded to 4 bytes. */
  public static String buildId(ByteBuffer notes) throws ElfFormatException {
    int at = 0;
    while (at <= notes.limit() - 12) {
      long nameSize = notes.getInt(at) & 0xffffffffL;
      long descSize = notes.getInt(at + 4) & 0xffffffffL;
      int type = notes.getInt(at + 8);
      long desc = at + 12 + ((nameSize + 3) & ~3L);
      long next = desc + ((descSize + 3) & ~3L);
      if (desc + descSize > notes.limit()) {
        throw new ElfFormatException(Reason.BAD_NOTE, at);
      }
      if (type == NT_GNU_BUILD_ID
          && nameSize == 4
          && Strings.equal(notes, at + 12, "GNU".getBytes(StandardCharsets.US_ASCII))
          && descSize > 0
          && descSize <= MAX_BUILD_ID) {
        byte[] id = new byte[(int) descSize];
        notes.get((int) desc, id);
        return HexFormat.of().formatHex(id);
      }
      if (next > notes.limit()) {
        break;
      }
      at = (int) next;
    }
    return null;
  }

  /**
   * .dynsym as the dynamic loader finds it: by PT_DYNAMIC, with its length from the hash table.
   *
   * @param bias what the loader may have added to the addresses in PT_DYNAMIC; 0 for a file
   * @return null if there is none
   */
  public final Symbols dynamicSymbols(long bias) throws ElfFormatException {
    Segment dynamic = first(ElfHeaders.PT_DYNAMIC);
    if (dynamic == null) {
      return null;
    }
    ByteBuffer entries = at(dynamic.vaddr(), dynamic.memorySize());
    long symtab = 0;
    long strtab = 0;
    long strsz = 0;
    long hash = 0;
    long gnuHash = 0;
    for (int i = 0; i + 16 <= entries.limit() && entries.getLong(i) != 0; i += 16) {
      long value = entries.getLong(i + 8);
      switch ((int) entries.getLong(i)) {
        case DT_SYMTAB -> symtab = unrelocated(value, bias);
        case DT_STRTAB -> strtab = unrelocated(value, bias);
        case DT_STRSZ -> strsz = value;
        case DT_HASH -> hash = unrelocated(value, bias);
        case DT_GNU_HASH -> gnuHash = unrelocated(value, bias);
        default -> {}
      }
    }
    if (symtab == 0 || strtab == 0 || (hash == 0 && gnuHash == 0)) {
      return null;
    }
    long count = gnuHash != 0 ? gnuHashCount(gnuHash) : at(hash, 8).getInt(4) & 0xffffffffL;
    return new Symbols(
        at(symtab, count * ElfHeaders.SYMBOL_SIZE), at(strtab, strsz), List.of(), false);
  }

  /**
   * Undoes the relocation of an entry: glibc relocates those of a writable PT_DYNAMIC in place,
   * musl and the vDSO don't.
   */
  private long unrelocated(long value, long bias) {
    long moved = value - bias;
    return moved >= lowestAddress() && moved < highestAddress() ? moved : value;
  }

  /**
   * The number of symbols that .gnu.hash covers, from the end of the chain of the highest bucket.
   * Source: "GNU hash ELF sections" of the System V ABI's supplements; binutils' readelf counts in
   * the same way.
   */
  private long gnuHashCount(long address) throws ElfFormatException {
    ByteBuffer header = at(address, 16);
    long buckets = header.getInt(0) & 0xffffffffL;
    long first = header.getInt(4) & 0xffffffffL;
    long bloom = header.getInt(8) & 0xffffffffL;
    long bucketStart = address + 16 + bloom * 8;
    ByteBuffer table = at(bucketStart, buckets * 4);
    long last = 0;
    for (int i = 0; i < buckets; i++) {
      last = Math.max(last, table.getInt(i * 4) & 0xffffffffL);
    }
    if (last < first) {
      return first;
    }
    long chain = bucketStart + buckets * 4 + (last - first) * 4;
    for (int i = 0; i < MAX_HASH_CHAIN; i++) {
      if ((at(chain + i * 4L, 4).getInt(0) & 1) != 0) {
        return last + i + 1;
      }
    }
    throw new ElfFormatException(Reason.BAD_DYNAMIC, chain);
  }

  /** PT_GNU_EH_FRAME; null if absent or malformed. */
  final Section ehFrameHdr() {
    return segment(ElfHeaders.PT_GNU_EH_FRAME, ".eh_frame_hdr");
  }

  /** PT_GNU_SFRAME; null if absent or malformed. */
  final Section sframe() {
    return segment(ElfHeaders.PT_GNU_SFRAME, ".sframe");
  }

  /**
   * .eh_frame, found through .eh_frame_hdr: up to the end of the segment, since only a section
   * header has its length.
   */
  final Section ehFrameOf(Section hdr) {
    try {
      long address = CallFrameTable.ehFrameAddress(hdr, architecture());
      Segment s = loaded(address, 1, Segment::fileSize);
      return new Section(at(address, s.vaddr() + s.fileSize() - address), address);
    } catch (ElfFormatException | MalformedSectionException e) {
      problem(".eh_frame", e);
      return null;
    }
  }

  private Section segment(int type, String name) {
    Segment s = first(type);
    if (s == null || s.fileSize() == 0) {
      return null;
    }
    try {
      return new Section(at(s.vaddr(), s.fileSize()), s.vaddr());
    } catch (ElfFormatException e) {
      problem(name, e);
      return null;
    }
  }

  /** The first program header of a type, or null. */
  public final Segment first(int type) {
    return headers.segments().stream().filter(s -> s.type() == type).findFirst().orElse(null);
  }

  /** The start of the smallest page that any supported kernel has. */
  private static long pageStart(long offset) {
    return offset & -4096L;
  }
}
