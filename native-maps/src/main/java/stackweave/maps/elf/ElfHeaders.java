package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import net.fornwall.jelf.ElfException;
import net.fornwall.jelf.ElfFile;
import net.fornwall.jelf.ElfSegment;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.unwind.Architecture;

/**
 * The header, program headers and section headers of an ELF image; the former two as jelf decodes
 * them, copied into small records so that nothing of jelf stays alive.
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

  public static final int EHDR_SIZE = 64;
  public static final int PHDR_SIZE = 56;
  public static final int SHDR_SIZE = 64;

  // Of a section header; its name comes first.
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

  /** The headers of a file. */
  static ElfHeaders ofFile(ImageBytes bytes) throws ElfFormatException {
    return read(bytes, true);
  }

  /** The headers of an image in memory, where the loader leaves the section headers out. */
  static ElfHeaders ofMemory(ImageBytes bytes) throws ElfFormatException {
    return read(bytes, false);
  }

  private static ElfHeaders read(ImageBytes bytes, boolean withSections) throws ElfFormatException {
    HeaderView view = new HeaderView(bytes);
    ElfFile elf;
    try {
      ByteBuffer magic = bytes.slice(0, Math.min(bytes.size(), EHDR_SIZE));
      if (magic.limit() < EHDR_SIZE || magic.getInt() != 0x7f454c46) {
        throw new ElfFormatException(Reason.NOT_ELF, 0);
      }
      elf = ElfFile.from(view);
    } catch (RuntimeException e) {
      throw unwrap(e, 0);
    }
    if (elf.ei_class != ElfFile.CLASS_64) {
      throw new ElfFormatException(Reason.UNSUPPORTED_CLASS, 4);
    }
    Architecture architecture =
        switch (elf.e_machine & 0xffff) {
          case ElfFile.ARCH_X86_64 -> Architecture.X86_64;
          case ElfFile.ARCH_AARCH64 -> Architecture.AARCH64;
          case ElfFile.ARCH_S390 -> Architecture.S390X;
          default -> throw new ElfFormatException(Reason.UNSUPPORTED_MACHINE, 18);
        };
    ByteOrder order =
        elf.ei_data == ElfFile.DATA_MSB ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    int type = elf.e_type & 0xffff;
    List<Segment> segments = segments(elf);
    if (!withSections || elf.e_shnum == 0) {
      return new ElfHeaders(type, architecture, order, segments, List.of(), null);
    }
    try {
      return new ElfHeaders(type, architecture, order, segments, sections(elf, bytes, order), null);
    } catch (ElfFormatException e) {
      return new ElfHeaders(type, architecture, order, segments, List.of(), e);
    }
  }

  private static List<Segment> segments(ElfFile elf) throws ElfFormatException {
    if (elf.e_phnum == 0) {
      return List.of();
    }
    if (elf.e_phentsize != PHDR_SIZE) {
      throw new ElfFormatException(Reason.BAD_HEADER, 54);
    }
    List<Segment> segments = new ArrayList<>();
    for (int i = 0; i < elf.e_phnum; i++) {
      try {
        ElfSegment s = elf.getProgramHeader(i);
        segments.add(
            new Segment(s.p_type, s.isExecutable(), s.p_offset, s.p_vaddr, s.p_filesz, s.p_memsz));
      } catch (RuntimeException e) {
        throw unwrap(e, elf.e_phoff + (long) i * PHDR_SIZE);
      }
    }
    return segments;
  }

  private static List<SectionHeader> sections(ElfFile elf, ImageBytes bytes, ByteOrder order)
      throws ElfFormatException {
    if (elf.e_shentsize != SHDR_SIZE) {
      throw new ElfFormatException(Reason.BAD_HEADER, 58);
    }
    int count = elf.e_shnum;
    // Not by jelf, which goes byte by byte and parses what a section holds as well.
    ByteBuffer table = bytes.slice(elf.e_shoff, (long) count * SHDR_SIZE).order(order);
    int names = elf.e_shstrndx & 0xffff;
    if (names >= count) {
      throw new ElfFormatException(Reason.BAD_HEADER, 62);
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

  /** What jelf threw: our own reason where the view below refused a read, else a bad header. */
  private static ElfFormatException unwrap(RuntimeException e, long offset) {
    return e.getCause() instanceof ElfFormatException format
        ? format
        : new ElfFormatException(Reason.BAD_HEADER, offset);
  }

  /** The image as jelf reads it: byte by byte through a small window. */
  private static final class HeaderView implements net.fornwall.jelf.BackingFile {
    private static final int WINDOW = 4096;

    private final ImageBytes bytes;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowStart;
    private long position;

    HeaderView(ImageBytes bytes) {
      this.bytes = bytes;
    }

    @Override
    public void seek(long offset) {
      position = offset;
    }

    @Override
    public void skip(int count) {
      position += count;
    }

    @Override
    public short readUnsignedByte() {
      long at = position++;
      long inWindow = at - windowStart;
      if (inWindow < 0 || inWindow >= window.limit()) {
        try {
          bytes.check(at, 1);
          window = bytes.slice(at, Math.min(WINDOW, bytes.size() - at));
        } catch (ElfFormatException e) {
          throw new ElfException(e);
        }
        windowStart = at;
        inWindow = 0;
      }
      return (short) (window.get((int) inWindow) & 0xff);
    }

    @Override
    public int read(byte[] target) {
      for (int i = 0; i < target.length; i++) {
        target[i] = (byte) readUnsignedByte();
      }
      return target.length;
    }
  }
}
