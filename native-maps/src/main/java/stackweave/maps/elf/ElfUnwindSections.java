package stackweave.maps.elf;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import stackweave.unwind.table.UnwindSections;

/**
 * The unwind sections of an ELF file of any kind, for commands that look at files.
 *
 * @param sections that can be read; .sframe of a relocatable object is relocated
 * @param relocatable whether it is a relocatable object: only its .sframe has addresses
 * @param order byte order of the file
 * @param problems what is broken, one short text each
 */
public record ElfUnwindSections(
    UnwindSections sections, boolean relocatable, ByteOrder order, List<String> problems) {

  /**
   * Reads a file.
   *
   * @throws ElfFormatException if it is no ELF file that can be read; {@link
   *     ElfFormatException.Reason#NOT_ELF} where it may be something else
   */
  public static ElfUnwindSections read(Path file) throws ElfFormatException {
    FileElfImage image = FileElfImage.open(file);
    UnwindSections all = image.unwindSections();
    boolean relocatable = image.headers.type() == ElfHeaders.ET_REL;
    UnwindSections sections = relocatable ? all.withSFrame(image.relocatedSFrame()) : all;
    return new ElfUnwindSections(sections, relocatable, image.order(), image.problems());
  }

  /**
   * The same for making rows of it.
   *
   * @throws ElfFormatException {@link ElfFormatException.Reason#RELOCATABLE}, too
   */
  public static ElfUnwindSections readLinked(Path file) throws ElfFormatException {
    ElfUnwindSections elf = read(file);
    if (elf.relocatable()) {
      throw new ElfFormatException(ElfFormatException.Reason.RELOCATABLE, 0);
    }
    return elf;
  }
}
