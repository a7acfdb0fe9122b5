package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfHeaders.Segment;
import stackweave.maps.proc.ProcessFiles;
import stackweave.unwind.TableMemory;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameRelocations;
import stackweave.unwind.table.UnwindSections;

/**
 * An image in a file. Headers and build id are read when it is opened; everything else at each
 * call, so callers must keep the result. Not thread-safe.
 */
public final class FileElfImage extends ElfImage {
  private final ImageBytes bytes;
  private final TableMemory tables;
  private final String buildId;

  /** Opens the file at {@code path}, following links; reads onto the heap. */
  public static FileElfImage open(Path path) throws ElfFormatException {
    return open(ProcessFiles.OWN, path, TableMemory.HEAP);
  }

  /** As {@link #open(Path)}, of a file of {@code files}, read into {@code tables}. */
  public static FileElfImage open(ProcessFiles files, Path path, TableMemory tables)
      throws ElfFormatException {
    return open(ImageBytes.OfFile.open(files, path, tables), tables);
  }

  /** Opens an image in memory. */
  public static FileElfImage open(ImageBytes bytes) throws ElfFormatException {
    return open(bytes, TableMemory.HEAP);
  }

  /** Opens an image in memory, with compressed sections unpacked into {@code tables}. */
  public static FileElfImage open(ImageBytes bytes, TableMemory tables) throws ElfFormatException {
    return new FileElfImage(bytes, tables);
  }

  private FileElfImage(ImageBytes bytes, TableMemory tables) throws ElfFormatException {
    super(ElfHeaders.read(bytes, true));
    this.bytes = bytes;
    this.tables = tables;
    buildId = findBuildId();
  }

  /** Whether the file is unchanged, so that parts not read yet can be read. */
  public boolean isReadable() {
    return !(bytes instanceof ImageBytes.OfFile file) || file.isUnchanged();
  }

  /** Equal for files that have the same content: build id and size, or of one file at one time. */
  public Object content() {
    return buildId == null && bytes instanceof ImageBytes.OfFile file
        ? file.identity()
        : buildId + " " + bytes.size();
  }

  @Override
  ByteBuffer at(long address, long size) throws ElfFormatException {
    Segment s = loaded(address, size, Segment::fileSize);
    return bytes.slice(s.offset() + address - s.vaddr(), size).order(order());
  }

  @Override
  public String buildId() {
    return buildId;
  }

  /** Whether it is a relocatable object (ET_REL), whose symbols count from their sections. */
  public boolean isRelocatable() {
    return headers.type() == ElfHeaders.ET_REL;
  }

  /**
   * The virtual address of a symbol of .symtab, of any type and by its raw name, or 0. Reads the
   * whole table.
   */
  public long addressOf(String name) {
    Symbols symbols = symtab();
    if (symbols == null) {
      return 0;
    }
    long found = symbols.addressOf(name);
    release(symbols.table());
    release(symbols.names());
    return found;
  }

  /** Gives back a section, or a part of {@link Symbols}, where it is a copy. */
  public void release(ByteBuffer section) {
    bytes.release(section);
  }

  @Override
  public Symbols symtab() {
    return symbols(ElfHeaders.SHT_SYMTAB, ".symtab", true);
  }

  @Override
  public Symbols dynsym() {
    Symbols symbols = symbols(ElfHeaders.SHT_DYNSYM, ".dynsym", false);
    if (symbols == null && headers.sections().isEmpty()) {
      try {
        symbols = dynamicSymbols(0);
      } catch (ElfFormatException e) {
        problem(".dynsym", e);
      }
    }
    return symbols;
  }

  /** Slots of functions that the loader chooses; none in an image without such symbols. */
  public List<IndirectFunctions.Slot> indirectFunctions() {
    Symbols dynsym = dynsym();
    if (dynsym == null) {
      return List.of();
    }
    List<ByteBuffer> relocations = new ArrayList<>();
    try {
      for (SectionHeader s : relocationSections()) {
        relocations.add(bytes.slice(s.offset(), s.size()).order(order()));
      }
      return IndirectFunctions.of(architecture(), relocations, dynsym);
    } catch (ElfFormatException e) {
      problem("relocations", e);
      return List.of();
    } finally {
      relocations.forEach(bytes::release);
      bytes.release(dynsym.table());
      bytes.release(dynsym.names());
    }
  }

  /** The linkage table's own come first: most slots are theirs, and others may be megabytes. */
  private List<SectionHeader> relocationSections() {
    return headers.sections().stream()
        .filter(s -> s.type() == ElfHeaders.SHT_RELA && s.address() != 0)
        .sorted(Comparator.comparing(s -> !s.name().equals(".rela.plt")))
        .toList();
  }

  /**
   * The stub of the procedure linkage table at a virtual address. Reads the tables anew.
   *
   * @param chosen what {@link #indirectFunctions} finds; asked only if needed, since that takes
   *     long
   * @return null if there is none, or it is not known whose
   */
  public LinkageStub linkageStubAt(long address, Supplier<List<IndirectFunctions.Slot>> chosen) {
    LinkageStub.Jump jump = null;
    for (SectionHeader s : headers.sections()) {
      if (LinkageStub.isTable(s.name()) && address - s.address() >= 0) {
        ByteBuffer code = address - s.address() < s.size() ? bytesOf(s) : null;
        if (code != null) {
          jump = LinkageStub.jumpAt(architecture(), code, s.address(), address);
          bytes.release(code);
        }
      }
    }
    Symbols dynsym = jump == null ? null : dynsym();
    if (dynsym == null) {
      return null;
    }
    try {
      String name = relocated(jump.slot(), dynsym);
      if (name == null) {
        name = LinkageStub.chosenFor(jump.slot(), chosen.get());
      }
      return name == null ? null : new LinkageStub(jump.start(), name);
    } catch (ElfFormatException e) {
      problem("relocations", e);
      return null;
    } finally {
      bytes.release(dynsym.table());
      bytes.release(dynsym.names());
    }
  }

  private String relocated(long slot, Symbols dynsym) throws ElfFormatException {
    for (SectionHeader s : relocationSections()) {
      ByteBuffer relocations = bytes.slice(s.offset(), s.size()).order(order());
      String name = LinkageStub.relocated(slot, relocations, dynsym);
      bytes.release(relocations);
      if (name != null) {
        return name;
      }
    }
    return null;
  }

  /** Whether there is a .symtab, broken or not. */
  public boolean hasSymtab() {
    return headers.sections().stream().anyMatch(s -> s.type() == ElfHeaders.SHT_SYMTAB);
  }

  /** .gnu_debuglink: a file name, padding to 4 bytes, its CRC-32; null if there is none. */
  public ByteBuffer debugLink() {
    return bytesOf(section(".gnu_debuglink"));
  }

  /** .gnu_debugdata: an ELF file with function symbols, compressed with XZ; null if none. */
  public ByteBuffer miniDebugInfo() {
    return bytesOf(section(".gnu_debugdata"));
  }

  /** The section comes first: in a debug file the program headers point to missing contents. */
  private String findBuildId() {
    ByteBuffer notes = bytesOf(section(".note.gnu.build-id"));
    if (notes != null) {
      try {
        return buildId(notes);
      } catch (ElfFormatException e) {
        problem(".note.gnu.build-id", e);
      }
    }
    return noteBuildId();
  }

  @Override
  public UnwindSections unwindSections() {
    Section hdr = part(section(".eh_frame_hdr"));
    if (hdr == null) {
      hdr = ehFrameHdr();
    }
    Section ehFrame = part(section(".eh_frame"));
    if (ehFrame == null && hdr != null && section(".eh_frame") == null) {
      ehFrame = ehFrameOf(hdr);
    }
    List<Section> sframe = sframes(this::part);
    Section segment = sframe.isEmpty() ? sframe() : null;
    sframe = segment == null ? sframe : List.of(segment);
    return new UnwindSections(null, hdr, ehFrame, part(section(".debug_frame")), architecture())
        .withSFrame(sframe);
  }

  /**
   * All .sframe sections, with the addresses of a relocatable object's relocations applied.
   * Assemblers before errata 1 of version 2 give the relocated value another meaning; their
   * functions stay at 0. A section that is malformed, or has malformed relocations, is left out.
   */
  public List<Section> relocatedSFrame() {
    return sframes(this::relocated);
  }

  /** One .sframe section, relocated; null if malformed. */
  private Section relocated(SectionHeader header) {
    Section section = part(header);
    if (section == null || headers.type() != ElfHeaders.ET_REL || section.bytes().limit() == 0) {
      return section;
    }
    int number = headers.sections().indexOf(header);
    try {
      if (!SFrameRelocations.isFieldRelative(section)) {
        return section;
      }
      for (SectionHeader s : headers.sections()) {
        if (s.type() == ElfHeaders.SHT_RELA && s.info() == number) {
          return relocated(section, s);
        }
      }
      return section;
    } catch (ElfFormatException e) {
      problem("relocations of .sframe", e);
    } catch (MalformedSectionException e) {
      problem(".sframe", e);
    }
    return null;
  }

  private Section relocated(Section section, SectionHeader relocations)
      throws ElfFormatException, MalformedSectionException {
    int link = relocations.link();
    if (link < 0 || link >= headers.sections().size()) {
      throw new ElfFormatException(Reason.BAD_SYMBOLS, relocations.offset());
    }
    SectionHeader table = headers.sections().get(link);
    ByteBuffer symbols = bytes.slice(table.offset(), table.size()).order(order());
    ByteBuffer entries = bytes.slice(relocations.offset(), relocations.size()).order(order());
    int count = entries.limit() / ElfHeaders.RELA_SIZE;
    long[] offsets = new long[count];
    long[] targets = new long[count];
    for (int i = 0; i < count; i++) {
      int at = i * ElfHeaders.RELA_SIZE;
      long symbol = entries.getLong(at + 8) >>> 32;
      if (symbol * ElfHeaders.SYMBOL_SIZE > symbols.limit() - ElfHeaders.SYMBOL_SIZE) {
        throw new ElfFormatException(Reason.BAD_SYMBOLS, relocations.offset() + at);
      }
      offsets[i] = entries.getLong(at);
      targets[i] =
          symbols.getLong((int) symbol * ElfHeaders.SYMBOL_SIZE + 8) + entries.getLong(at + 16);
    }
    return SFrameRelocations.apply(section, offsets, targets);
  }

  /**
   * All .sframe sections that can be read, by type, or by name, since binutils before 2.45 write
   * SHT_PROGBITS.
   */
  private List<Section> sframes(Function<SectionHeader, Section> reader) {
    return headers.sections().stream()
        .filter(s -> s.type() == ElfHeaders.SHT_GNU_SFRAME || isNamed(s, ".sframe"))
        .map(reader)
        .filter(Objects::nonNull)
        .toList();
  }

  private SectionHeader section(String name) {
    return headers.sections().stream().filter(s -> isNamed(s, name)).findFirst().orElse(null);
  }

  private static boolean isNamed(SectionHeader section, String name) {
    return section.type() != ElfHeaders.SHT_NOBITS
        && section.size() > 0
        && section.name().equals(name);
  }

  private Section part(SectionHeader section) {
    ByteBuffer content = bytesOf(section);
    return content == null ? null : new Section(content, section.address());
  }

  private ByteBuffer bytesOf(SectionHeader section) {
    if (section == null) {
      return null;
    }
    try {
      ByteBuffer raw = bytes.slice(section.offset(), section.size()).order(order());
      if ((section.flags() & ElfHeaders.SHF_COMPRESSED) == 0) {
        return raw;
      }
      try {
        return Compression.inflateSection(raw, section.offset(), tables).order(order());
      } finally {
        bytes.release(raw);
      }
    } catch (ElfFormatException e) {
      problem(section.name(), e);
      return null;
    }
  }

  private Symbols symbols(int type, String name, boolean full) {
    try {
      for (SectionHeader s : headers.sections()) {
        if (s.type() == type) {
          if (s.link() < 0 || s.link() >= headers.sections().size()) {
            throw new ElfFormatException(Reason.BAD_SYMBOLS, s.offset());
          }
          SectionHeader names = headers.sections().get(s.link());
          return new Symbols(
              bytes.slice(s.offset(), s.size()).order(order()),
              bytes.slice(names.offset(), names.size()),
              headers.sections(),
              full);
        }
      }
    } catch (ElfFormatException e) {
      problem(name, e);
    }
    return null;
  }
}
