package stackweave.engine.perf.event;

import java.io.IOException;
import java.nio.file.Path;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;

/**
 * The entry of a function in the file of a library that this process has mapped. The kernel takes
 * the file and the offset in it (Documentation/trace/uprobetracer.rst).
 *
 * @param path of the file
 * @param offset in the file, in bytes
 */
record UprobePlace(String path, long offset) {

  /**
   * Finds a function.
   *
   * @param event whose group is the file's path or its name
   * @throws EngineRefusedException if no such library is mapped, more than one, one whose file is
   *     deleted, or it has no such function
   */
  static UprobePlace find(EngineKind engine, SampledEvent event) throws EngineRefusedException {
    String library = event.group();
    Mapping code = null;
    try {
      for (Mapping mapping : ProcMaps.read(SampledProcess.OWN.directory())) {
        boolean isOne =
            mapping.isFile() && mapping.executable() && isNamed(mapping.path(), library);
        if (isOne && code != null && !isSameFile(mapping, code)) {
          throw RefusalText.EVENT_NOT_ONE_LIBRARY.of(
              engine, 0, event.name(), code.path(), mapping.path());
        }
        code = isOne && code == null ? mapping : code;
      }
      if (code == null) {
        throw RefusalText.EVENT_NOT_MAPPED.of(engine, 0, event.name(), library);
      }
      if (code.deleted()) {
        throw RefusalText.EVENT_DELETED_LIBRARY.of(engine, 0, event.name(), code.path());
      }
      FileElfImage elf = FileElfImage.open(Path.of(code.path()));
      Symbols exported = elf.dynsym();
      long address = exported == null ? 0 : exported.addressOf(event.member());
      address = address == 0 ? elf.addressOf(event.member()) : address;
      if (address == 0) {
        throw RefusalText.EVENT_NO_FUNCTION.of(
            engine, 0, event.name(), code.path(), event.member());
      }
      long offset = address + elf.bias(code.start(), code.offset()) - code.start() + code.offset();
      if (!isAscii(code.path())) {
        throw new IOException("its path is not ASCII");
      }
      return new UprobePlace(code.path(), offset);
    } catch (IOException | ElfFormatException e) {
      throw RefusalText.EVENT_UNREADABLE_LIBRARY.of(
          engine, 0, event.name(), library, e.getMessage());
    }
  }

  private static boolean isSameFile(Mapping one, Mapping other) {
    return one.inode() == other.inode() && one.path().equals(other.path());
  }

  private static boolean isNamed(String path, String library) {
    return path.equals(library) || path.substring(path.lastIndexOf('/') + 1).equals(library);
  }

  private static boolean isAscii(String path) {
    for (int i = 0; i < path.length(); i++) {
      if (path.charAt(i) >= 128) {
        return false;
      }
    }
    return true;
  }
}
