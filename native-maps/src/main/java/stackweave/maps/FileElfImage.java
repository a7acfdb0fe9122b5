package stackweave.maps;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import stackweave.maps.ElfFormatException.Reason;
import stackweave.maps.ElfHeaders.SectionHeader;
import stackweave.maps.ElfHeaders.Segment;
import stackweave.unwind.Section;
import stackweave.unwind.UnwindSections;

/**
 * An image in a file. Everything wanted of it is mapped when it is opened, so that it stays
 * readable when the file is deleted, and no file descriptor stays open.
 *
 * <p>A file that another process truncates meanwhile makes reads of the mapping give anything, and
 * the JVM throws an {@link InternalError} for the SIGBUS, either there or (JDK 17) up to a while
 * later in the same thread. Where it comes at once it is {@link ElfFormatException.Reason#CHANGED};
 * a thread that uses images must survive it anywhere.
 */
final class FileElfImage extends ElfImage {
  private final ImageBytes bytes;
  private final String buildId;
  private final UnwindSections unwindSections;
  private final Symbols symtab;
  private final Symbols dynsym;
  private final ByteBuffer debugLink;
  private final ByteBuffer miniDebugInfo;

  /** The image in the file at {@code path}, which may be any link to it. */
  static FileElfImage open(Path path) throws ElfFormatException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return open(ImageBytes.of(channel));
    } catch (IOException e) {
      throw new ElfFormatException(Reason.UNREADABLE, 0);
    }
  }

  /** The image in these bytes. */
  static FileElfImage open(ImageBytes bytes) throws ElfFormatException {
    try {
      return new FileElfImage(bytes);
    } catch (InternalError e) {
      throw new ElfFormatException(Reason.CHANGED, 0);
    }
  }

  private FileElfImage(ImageBytes bytes) throws ElfFormatException {
    super(ElfHeaders.ofFile(bytes));
    this.bytes = bytes;
    buildId = findBuildId();
    symtab = symbols(ElfHeaders.SHT_SYMTAB, ".symtab", true);
    Symbols dynamic = symbols(ElfHeaders.SHT_DYNSYM, ".dynsym", false);
    if (dynamic == null && headers.sections().isEmpty()) {
      try {
        dynamic = dynamicSymbols(0);
      } catch (ElfFormatException e) {
        problem(".dynsym", e);
      }
    }
    dynsym = dynamic;
    unwindSections = findUnwindSections();
    debugLink = bytesOf(section(".gnu_debuglink"));
    miniDebugInfo = bytesOf(section(".gnu_debugdata"));
  }

  @Override
  ByteBuffer at(long address, long size) throws ElfFormatException {
    for (Segment s : headers.segments()) {
      long offset = address - s.vaddr();
      if (s.type() == ElfHeaders.PT_LOAD
          && offset >= 0
          && size >= 0
          && offset <= s.fileSize() - size) {
        return bytes.slice(s.offset() + offset, size).order(order());
      }
    }
    throw new ElfFormatException(Reason.OUT_OF_BOUNDS, address);
  }

  @Override
  String buildId() {
    return buildId;
  }

  @Override
  UnwindSections unwindSections() {
    return unwindSections;
  }

  @Override
  Symbols symtab() {
    return symtab;
  }

  @Override
  Symbols dynsym() {
    return dynsym;
  }

  /** .gnu_debuglink: a file name, padding to 4 bytes, its CRC-32; null if there is none. */
  ByteBuffer debugLink() {
    return debugLink;
  }

  /** .gnu_debugdata: an ELF file with function symbols, compressed with XZ; null if none. */
  ByteBuffer miniDebugInfo() {
    return miniDebugInfo;
  }

  /** The section first: in a debug file the program headers point to what is not there. */
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

  private UnwindSections findUnwindSections() {
    Section hdr = part(section(".eh_frame_hdr"));
    if (hdr == null) {
      hdr = ehFrameHdr();
    }
    Section ehFrame = part(section(".eh_frame"));
    if (ehFrame == null && hdr != null && section(".eh_frame") == null) {
      ehFrame = ehFrameBehind(hdr);
    }
    Section sframe = part(sframeHeader());
    if (sframe == null) {
      sframe = sframe();
    }
    return new UnwindSections(sframe, hdr, ehFrame, part(section(".debug_frame")), architecture());
  }

  private SectionHeader sframeHeader() {
    for (SectionHeader s : headers.sections()) {
      if (s.type() == ElfHeaders.SHT_GNU_SFRAME) {
        return s;
      }
    }
    return section(".sframe");
  }

  private SectionHeader section(String name) {
    for (SectionHeader s : headers.sections()) {
      if (s.type() != ElfHeaders.SHT_NOBITS && s.size() > 0 && s.name().equals(name)) {
        return s;
      }
    }
    return null;
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
      return (section.flags() & ElfHeaders.SHF_COMPRESSED) == 0
          ? raw
          : Compression.inflateSection(raw, section.offset()).order(order());
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
