package stackweave.sframe.elf;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfHeaders;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfHeaders.Segment;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.ImageBytes;
import stackweave.sframe.writer.SFrameConversion;
import stackweave.sframe.writer.SFrameWriter;
import stackweave.unwind.TableMemory;
import stackweave.unwind.table.UnwindSections;

/**
 * Writes a copy of an executable or shared object with an .sframe section added, made from its
 * .eh_frame. Nothing that was there moves. Used by {@code sframe generate --add}. GNU strip and
 * objcopy break such copies, since they expect program headers at the start of a file. Source:
 * System V gABI, chapters 4 and 5; SFrame specification section 1 (SHT_GNU_SFRAME).
 *
 * <p>A new PT_LOAD at the end holds a larger program header table and the section, then the file
 * has the section headers. Its offset and address differ as in the first segment, by which Linux
 * before 5.18 computes AT_PHDR (fs/binfmt_elf.c).
 */
public final class SFrameElfCopy {
  private static final int PF_R = 4;
  private static final int SHF_ALLOC = 2;
  private static final int MIN_PAGE = 4096;
  private static final int MAX_ALIGN = 1 << 24;
  private static final int ALIGN = 8;
  private static final byte[] NAME = ".sframe\0".getBytes(StandardCharsets.US_ASCII);

  private final FileElfImage image;
  private final ByteBuffer header;
  private final ByteBuffer oldSegments;
  private final int oldCount;

  /** Offset of the new segment in the file, and its ELF virtual address. */
  private long offset;

  private long address;
  private long align;

  private SFrameElfCopy(FileElfImage image, ImageBytes bytes) throws ElfFormatException {
    this.image = image;
    header = copy(bytes.slice(0, ElfHeaders.EHDR_SIZE));
    oldCount = header.getShort(56) & 0xffff;
    oldSegments = copy(bytes.slice(header.getLong(32), (long) oldCount * ElfHeaders.PHDR_SIZE));
    place(bytes.size());
  }

  private ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.limit()).put(bytes).flip().order(image.order());
  }

  /**
   * Writes the copy.
   *
   * @param version of SFrame, 2 or 3
   * @param output is overwritten; must not be {@code elf}
   * @throws ElfFormatException if {@code elf} can't be read, or nothing can be added to it; nothing
   *     is written then
   * @throws ArithmeticException if distances are too large for version 2
   */
  public static SFrameConversion write(Path elf, int version, Path output)
      throws ElfFormatException, IOException {
    ImageBytes.OfFile bytes = ImageBytes.OfFile.open(elf, TableMemory.HEAP);
    FileElfImage image = FileElfImage.open(bytes);
    if (image.headers.type() == ElfHeaders.ET_REL) {
      throw new ElfFormatException(Reason.RELOCATABLE, 16);
    }
    if (image.headers.sectionProblem() != null) {
      throw image.headers.sectionProblem();
    }
    UnwindSections sections = image.unwindSections();
    if (sections.sframe() != null) {
      throw new ElfFormatException(Reason.HAS_SFRAME, sections.sframe().address());
    }
    SFrameElfCopy copy = new SFrameElfCopy(image, bytes);
    SFrameConversion made =
        SFrameWriter.convert(sections, version, image.order(), copy.sectionAddress());
    try (FileChannel from = FileChannel.open(elf, StandardOpenOption.READ);
        FileChannel to =
            FileChannel.open(
                output,
                StandardOpenOption.WRITE,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING)) {
      for (long at = 0; at < bytes.size(); ) {
        long count = from.transferTo(at, bytes.size() - at, to);
        if (count <= 0) {
          throw new ElfFormatException(Reason.CHANGED, at);
        }
        at += count;
      }
      copy.append(to, made.bytes(), bytes);
    }
    if (Files.isRegularFile(output)) {
      Files.setPosixFilePermissions(output, Files.getPosixFilePermissions(elf));
    }
    return made;
  }

  /** Chooses offset and address: after all segments, and after everything in the file. */
  private void place(long fileSize) throws ElfFormatException {
    Segment first = image.first(ElfHeaders.PT_LOAD);
    if (first == null) {
      throw new ElfFormatException(Reason.NO_SEGMENTS, 0);
    }
    if (oldCount + 2 >= 0xffff) {
      throw new ElfFormatException(Reason.BAD_HEADER, 56);
    }
    align = MIN_PAGE;
    for (int i = 0; i < oldCount; i++) {
      int at = i * ElfHeaders.PHDR_SIZE;
      long theirs = oldSegments.getLong(at + 48);
      if (oldSegments.getInt(at) == ElfHeaders.PT_LOAD && theirs > align) {
        if (theirs > MAX_ALIGN || Long.bitCount(theirs) != 1) {
          throw new ElfFormatException(Reason.BAD_HEADER, header.getLong(32) + at + 48);
        }
        align = theirs;
      }
    }
    long difference = first.vaddr() - first.offset();
    address = alignUp(Math.max(image.highestAddress(), fileSize + difference), align);
    offset = address - difference;
    // With addresses and sizes that no linker writes, the sums may overflow.
    if (offset < fileSize || offset > 1L << 46 || (difference & (MIN_PAGE - 1)) != 0) {
      throw new ElfFormatException(Reason.BAD_HEADER, header.getLong(32));
    }
  }

  private static long alignUp(long value, long to) {
    return (value + to - 1) & -to;
  }

  private int segmentsSize() {
    return (oldCount + 2) * ElfHeaders.PHDR_SIZE;
  }

  private long sectionAddress() {
    return address + alignUp(segmentsSize(), ALIGN);
  }

  private void append(FileChannel to, byte[] sframe, ImageBytes bytes)
      throws IOException, ElfFormatException {
    int sectionAt = (int) alignUp(segmentsSize(), ALIGN);
    long size = sectionAt + (long) sframe.length;
    ByteBuffer segment = ByteBuffer.allocate((int) size).order(image.order());
    segments(segment, size, sframe.length);
    segment.position(sectionAt).put(sframe).flip();
    header.putLong(32, offset).putShort(56, (short) (oldCount + 2));
    ByteBuffer tail = ByteBuffer.allocate(0);
    long tailAt = alignUp(offset + size, ALIGN);
    if (!image.headers.sections().isEmpty()) {
      tail = sections(bytes, tailAt, sframe.length);
    }
    writeAll(to, segment, offset);
    writeAll(to, tail, tailAt);
    writeAll(to, header, 0);
  }

  private static void writeAll(FileChannel to, ByteBuffer bytes, long at) throws IOException {
    for (long next = at; bytes.hasRemaining(); ) {
      next += to.write(bytes, next);
    }
  }

  /**
   * Writes the old program headers, the new PT_LOAD after the last one, and PT_GNU_SFRAME at the
   * end.
   */
  private void segments(ByteBuffer out, long size, int sframeSize) {
    int last = 0;
    for (int i = 0; i < oldCount; i++) {
      if (oldSegments.getInt(i * ElfHeaders.PHDR_SIZE) == ElfHeaders.PT_LOAD) {
        last = i;
      }
    }
    for (int i = 0; i < oldCount; i++) {
      int at = i * ElfHeaders.PHDR_SIZE;
      if (oldSegments.getInt(at) == ElfHeaders.PT_PHDR) {
        segment(out, ElfHeaders.PT_PHDR, 0, segmentsSize(), ALIGN);
      } else {
        out.put(oldSegments.slice(at, ElfHeaders.PHDR_SIZE));
      }
      if (i == last) {
        segment(out, ElfHeaders.PT_LOAD, 0, size, align);
      }
    }
    segment(out, ElfHeaders.PT_GNU_SFRAME, sectionAddress() - address, sframeSize, ALIGN);
  }

  private void segment(ByteBuffer out, int type, long from, long size, long alignment) {
    out.putInt(type).putInt(PF_R).putLong(offset + from);
    out.putLong(address + from).putLong(address + from);
    out.putLong(size).putLong(size).putLong(alignment);
  }

  /** The section names and headers with those of .sframe at the end; updates the file header. */
  private ByteBuffer sections(ImageBytes bytes, long at, int sframeSize) throws ElfFormatException {
    int count = image.headers.sections().size();
    int names = header.getShort(62) & 0xffff;
    SectionHeader old = image.headers.sections().get(names);
    if (count + 1 >= 0xff00) {
      throw new ElfFormatException(Reason.BAD_HEADER, 60);
    }
    ByteBuffer strings = bytes.slice(old.offset(), old.size());
    int namesSize = strings.limit() + NAME.length;
    int tableAt = (int) alignUp(namesSize, ALIGN);
    ByteBuffer out =
        ByteBuffer.allocate(tableAt + (count + 1) * ElfHeaders.SHDR_SIZE).order(image.order());
    out.put(strings).put(NAME).position(tableAt);
    out.put(bytes.slice(header.getLong(40), (long) count * ElfHeaders.SHDR_SIZE));
    out.putInt(namesSize - NAME.length).putInt(ElfHeaders.SHT_GNU_SFRAME).putLong(SHF_ALLOC);
    out.putLong(sectionAddress()).putLong(offset + sectionAddress() - address);
    out.putLong(sframeSize).putInt(0).putInt(0).putLong(ALIGN).putLong(0);
    int namesHeader = tableAt + names * ElfHeaders.SHDR_SIZE;
    out.putLong(namesHeader + 24, at).putLong(namesHeader + 32, namesSize);
    header.putLong(40, at + tableAt).putShort(60, (short) (count + 1));
    return out.flip();
  }
}
