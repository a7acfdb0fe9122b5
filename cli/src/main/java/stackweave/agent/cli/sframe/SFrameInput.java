package stackweave.agent.cli.sframe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import stackweave.agent.cli.common.FailedException;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfUnwindSections;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameSection;

/**
 * An input file of the {@code sframe} commands: an ELF file of any kind, or a raw SFrame section.
 *
 * @param elf null for a raw section
 * @param sframe its SFrame sections; empty if the ELF file has none
 */
public record SFrameInput(Path file, ElfUnwindSections elf, List<Section> sframe) {

  /**
   * Opens a file.
   *
   * @param address where a raw section is loaded; null for 0
   * @throws FailedException if it can't be read, or an address is given for an ELF file
   */
  static SFrameInput open(Path file, Long address) throws FailedException {
    mustBeFile(file);
    try {
      ElfUnwindSections elf = ElfUnwindSections.read(file);
      if (address != null) {
        throw new FailedException(
            file + ": an ELF file says its addresses, --address is for raw sections");
      }
      List<Section> sframe = elf.sections().allSFrame();
      if (sframe.isEmpty()) {
        for (String problem : elf.problems()) {
          if (problem.contains("sframe") || problem.startsWith("section headers")) {
            throw new FailedException(file + ": " + problem);
          }
        }
      }
      return new SFrameInput(file, elf, sframe);
    } catch (ElfFormatException e) {
      if (e.reason() != Reason.NOT_ELF) {
        throw failed(file, e);
      }
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
      return new SFrameInput(
          file, null, List.of(new Section(bytes, address == null ? 0 : address)));
    } catch (IOException e) {
      throw new FailedException(file + ": " + FailedException.reason(e));
    }
  }

  /** Fails unless this is a readable regular file. */
  public static void mustBeFile(Path file) throws FailedException {
    try {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      if (!attributes.isRegularFile()) {
        String what = attributes.isDirectory() ? "is a directory" : "is no regular file";
        throw new FailedException(file + ": " + what);
      }
    } catch (NoSuchFileException e) {
      throw new FailedException(file + ": no such file");
    } catch (IOException e) {
      throw new FailedException(file + ": " + FailedException.reason(e));
    }
    if (!Files.isReadable(file)) {
      throw new FailedException(file + ": permission denied");
    }
  }

  static FailedException failed(Path file, ElfFormatException e) {
    return new FailedException(file + ": " + FailedException.worded(e));
  }

  /** The SFrame sections; fails if there are none. */
  List<Section> sections() throws FailedException {
    if (sframe.isEmpty()) {
      throw new FailedException(file + ": no .sframe section; sframe generate makes one");
    }
    return sframe;
  }

  /** Reads all SFrame sections as one; fails unless at least one has a valid header. */
  SFrameSection read() throws FailedException {
    try {
      return SFrameSection.read(sections());
    } catch (MalformedSectionException e) {
      String kind = elf == null ? "no ELF file and no SFrame section: " : ".sframe: ";
      throw new FailedException(file + ": " + kind + FailedException.worded(e));
    }
  }
}
