package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.unwind.Architecture;

/**
 * The header, program headers and section headers of an ELF image (System V gABI, chapters 4 and
 * 5).
 *
 * @param type {@link #ET_REL} and others
 * @param sectionProblem why there are no sections although the header promises some, or null
 */
public record ElfHeaders(
    int type,
    Architecture architecture,
    ByteOrder order,
    List<Segment> segments,
    List<SectionHeader> sections,
    ElfFormatException sectionProblem) {

  public static final int ET_REL = 1;

  public static final int PT_LOAD = 1;
  static final int PT_DYNAMIC = 2;
  static final int PT_NOTE = 4;
  public static final int PT_PHDR = 6;
  static final int PT_GNU_EH_FRAME = 0x6474e550;
  public static final int PT_GNU_SFRAME = 0x6474e554;

  static final int SHT_SYMTAB = 2;
  static final int SHT_RELA = 4;
  static final int SHT_NOBITS = 8;
  static final int SHT_DYNSYM = 11;
  public static final int SHT_GNU_SFRAME = 0x6ffffff4;
  static final int SHF_EXECINSTR = 4;
  static final int SHF_COMPRESSED = 0x800;

  /** Bytes of a symbol, and of a relocation with an addend. */
  public static final int SYMBOL_SIZE = 24;

  static final int RELA_SIZE = 24;

  public static final int EHDR_SIZE = 64;
  public static final int PHDR_SIZE = 56;
  public static final int SHDR_SIZE = 64;

  private static final int MAGIC = 0x7f454c46;

  // Where fields are in the header,
  private static final int EI_CLASS = 4;
  private static final int EI_DATA = 5;
  private static final int E_TYPE = 16;
  private static final int E_MACHINE = 18;
  private static final int E_PHOFF = 32;
  private static final int E_SHOFF = 40;
  private static final int E_PHENTSIZE = 54;
  private static final int E_PHNUM = 56;
  private static final int E_SHENTSIZE = 58;
  private static final int E_SHNUM = 60;
  private static final int E_SHSTRNDX = 62;

  // in a program header, whose type comes first,
  private static final int P_FLAGS = 4;
  private static final int P_OFFSET = 8;
  private static final int P_VADDR = 16;
  private static final int P_FILESZ = 32;
  private static final int P_MEMSZ = 40;
  private static final int PF_X = 1;

  // and in a section header, whose name comes first.
  private static final int SH_TYPE = 4;
  private static final int SH_FLAGS = 8;
  private static final int SH_ADDR = 16;
  private static final int SH_OFFSET = 24;
  private static final int SH_SIZE = 32;
  private static final int SH_LINK = 40;
  private static final int SH_INFO = 44;

  /** A program header. */
  public record Segment(
      int type, boolean executable, long offset, long vaddr, long fileSize, long memorySize) {}

  /** A section header with its name resolved. */
  public record SectionHeader(
      String name, int type, long flags, long address, long offset, long size, int link, int info) {
    public boolean isExecutable() {
      return (flags & SHF_EXECINSTR) != 0;
    }
  }

  /**
   * Reads the headers of an image.
   *
   * @param withSections whether it is a file: the loader leaves the section headers out of memory
   */
  static ElfHeaders read(ImageBytes bytes, boolean withSections) throws ElfFormatException {
    ByteBuffer header = bytes.slice(0, Math.min(bytes.size(), EHDR_SIZE));
    if (header.limit() < EHDR_SIZE || header.getInt(0) != MAGIC) {
      throw new ElfFormatException(Reason.NOT_ELF, 0);
    }
    if (header.get(EI_CLASS) != 2) {
      throw new ElfFormatException(Reason.UNSUPPORTED_CLASS, EI_CLASS);
    }
    ByteOrder order =
        switch (header.get(EI_DATA)) {
          case 1 -> ByteOrder.LITTLE_ENDIAN;
          case 2 -> ByteOrder.BIG_ENDIAN;
          default -> throw new ElfFormatException(Reason.BAD_HEADER, EI_DATA);
        };
    header.order(order);
    Architecture architecture =
        switch (header.getShort(E_MACHINE)) {
          case 62 -> Architecture.X86_64;
          case 183 -> Architecture.AARCH64;
          case 22 -> Architecture.S390X;
          default -> throw new ElfFormatException(Reason.UNSUPPORTED_MACHINE, E_MACHINE);
        };
    int type = header.getShort(E_TYPE) & 0xffff;
    List<Segment> segments = segments(header, bytes);
    List<SectionHeader> sections = List.of();
    ElfFormatException problem = null;
    try {
      sections = withSections ? sections(header, bytes) : sections;
    } catch (ElfFormatException e) {
      problem = e;
    }
    bytes.release(header);
    return new ElfHeaders(type, architecture, order, segments, sections, problem);
  }

  private static List<Segment> segments(ByteBuffer header, ImageBytes bytes)
      throws ElfFormatException {
    int count = header.getShort(E_PHNUM) & 0xffff;
    if (count == 0) {
      return List.of();
    }
    if (header.getShort(E_PHENTSIZE) != PHDR_SIZE) {
      throw new ElfFormatException(Reason.BAD_HEADER, E_PHENTSIZE);
    }
    ByteBuffer table =
        bytes.slice(header.getLong(E_PHOFF), (long) count * PHDR_SIZE).order(header.order());
    List<Segment> segments = new ArrayList<>(count);
    for (int at = 0; at < count * PHDR_SIZE; at += PHDR_SIZE) {
      segments.add(
          new Segment(
              table.getInt(at),
              (table.getInt(at + P_FLAGS) & PF_X) != 0,
              table.getLong(at + P_OFFSET),
              table.getLong(at + P_VADDR),
              table.getLong(at + P_FILESZ),
              table.getLong(at + P_MEMSZ)));
    }
    bytes.release(table);
    return segments;
  }

  private static List<SectionHeader> sections(ByteBuffer header, ImageBytes bytes)
      throws ElfFormatException {
    int count = header.getShort(E_SHNUM) & 0xffff;
    if (count == 0) {
      return List.of();
    }
    if (header.getShort(E_SHENTSIZE) != SHDR_SIZE) {
      throw new ElfFormatException(Reason.BAD_HEADER, E_SHENTSIZE);
    }
    ByteBuffer table =
        bytes.slice(header.getLong(E_SHOFF), (long) count * SHDR_SIZE).order(header.order());
    int names = header.getShort(E_SHSTRNDX) & 0xffff;
    if (names >= count) {
      throw new ElfFormatException(Reason.BAD_HEADER, E_SHSTRNDX);
    }
    int namesAt = names * SHDR_SIZE;
    ByteBuffer strings =
        bytes.slice(table.getLong(namesAt + SH_OFFSET), table.getLong(namesAt + SH_SIZE));
    List<SectionHeader> sections = new ArrayList<>(count);
    for (int at = 0; at < count * SHDR_SIZE; at += SHDR_SIZE) {
      sections.add(
          new SectionHeader(
              Strings.at(strings, table.getInt(at)),
              table.getInt(at + SH_TYPE),
              table.getLong(at + SH_FLAGS),
              table.getLong(at + SH_ADDR),
              table.getLong(at + SH_OFFSET),
              table.getLong(at + SH_SIZE),
              table.getInt(at + SH_LINK),
              table.getInt(at + SH_INFO)));
    }
    return sections;
  }
}
