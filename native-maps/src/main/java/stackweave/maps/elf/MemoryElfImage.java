package stackweave.maps.elf;

import java.nio.ByteBuffer;
import stackweave.maps.elf.ElfHeaders.Segment;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.TableMemory;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;

/**
 * An image in memory: for the vDSO, which has no file, and for modules whose file was deleted or
 * replaced. The loaded segments contain .dynsym, .eh_frame and .sframe, but no section headers and
 * no .symtab. Everything needed is copied when it is opened, since the memory may be unmapped at
 * any time.
 */
public final class MemoryElfImage extends ElfImage {
  private final ImageBytes memory;
  private final long lowest;
  private final String buildId;
  private Symbols dynsym;
  private UnwindSections unwindSections = UnwindSections.none(architecture());

  /**
   * Opens and copies the image whose ELF header is at {@code base}.
   *
   * @param size how many bytes from there on are mapped for it
   * @param tables where it is copied to
   */
  public static MemoryElfImage open(MemoryReader memory, long base, long size, TableMemory tables)
      throws ElfFormatException {
    MemoryElfImage image = new MemoryElfImage(new ImageBytes.OfMemory(memory, base, size, tables));
    image.copy(base);
    return image;
  }

  /** Reads only headers and build id of the image whose ELF header is at {@code base}. */
  public static MemoryElfImage headers(MemoryReader memory, long base, long size)
      throws ElfFormatException {
    return new MemoryElfImage(new ImageBytes.OfMemory(memory, base, size, TableMemory.HEAP));
  }

  private MemoryElfImage(ImageBytes memory) throws ElfFormatException {
    super(ElfHeaders.read(memory, false));
    this.memory = memory;
    this.lowest = lowestAddress() & -4096L;
    this.buildId = noteBuildId();
  }

  private void copy(long base) {
    try {
      dynsym = dynamicSymbols(base - lowest);
    } catch (ElfFormatException e) {
      problem(".dynsym", e);
    }
    Section hdr = ehFrameHdr();
    unwindSections =
        new UnwindSections(
            sframe(), hdr, hdr == null ? null : ehFrameOf(hdr), null, architecture());
  }

  @Override
  ByteBuffer at(long address, long size) throws ElfFormatException {
    loaded(address, size, Segment::memorySize);
    return memory.slice(address - lowest, size).order(order());
  }

  @Override
  public String buildId() {
    return buildId;
  }

  @Override
  public UnwindSections unwindSections() {
    return unwindSections;
  }

  @Override
  public Symbols symtab() {
    return null;
  }

  @Override
  public Symbols dynsym() {
    return dynsym;
  }
}
