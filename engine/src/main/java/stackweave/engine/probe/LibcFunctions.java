package stackweave.engine.probe;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import stackweave.engine.perf.event.MappedFile;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.FileElfImage;
import stackweave.maps.elf.Strings;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.tableless.x86.FunctionExits;

/**
 * The exported functions of the C library that a process has mapped. Immutable.
 *
 * @param code the mapping of its code
 * @param path of its file, as {@link MappedFile} says
 */
record LibcFunctions(Mapping code, String path) {
  private static final String LIBRARY = "libc.so.6";
  private static final int SYMBOL_SIZE = 24;
  private static final int MAX_FUNCTION = 1 << 16;

  /**
   * A function in a library's file.
   *
   * @param offset in the file, in bytes
   * @param code all its bytes
   */
  record Function(long offset, byte[] code) {}

  /**
   * Finds the library; null for none, if the path now names another file, as after an update, or if
   * it can't be read.
   */
  static LibcFunctions of(SampledProcess process) {
    try {
      for (Mapping mapping : ProcMaps.read(process.directory())) {
        if (mapping.isFile()
            && mapping.executable()
            && MappedFile.isThere(process, mapping)
            && mapping.path().endsWith('/' + LIBRARY)
            && isPlain(mapping.path())) {
          return new LibcFunctions(mapping, MappedFile.path(process, mapping));
        }
      }
    } catch (IOException e) {
      return null;
    }
    return null;
  }

  private static boolean isPlain(String path) {
    return path.chars().allMatch(c -> c > ' ' && c <= '~');
  }

  /** Finds a function; null if there is none. */
  Function find(String name) throws IOException, ElfFormatException {
    return find(path, code.offset(), name);
  }

  /** As {@link #find(String)}, in a file of which this offset has the code. */
  static Function find(String path, long codeOffset, String name)
      throws IOException, ElfFormatException {
    FileElfImage elf = FileElfImage.open(Path.of(path));
    Symbols symbols = elf.dynsym();
    byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
    ByteBuffer table = symbols.table();
    for (int at = 0; at <= table.limit() - SYMBOL_SIZE; at += SYMBOL_SIZE) {
      long size = table.getLong(at + 16);
      if (table.getShort(at + 6) != 0
          && size > 0
          && size <= MAX_FUNCTION
          && Strings.equal(symbols.names(), table.getInt(at), wanted)) {
        long offset = table.getLong(at + 8) + codeOffset + elf.bias(0, codeOffset);
        byte[] bytes = new byte[(int) size];
        try (RandomAccessFile file = new RandomAccessFile(path, "r")) {
          file.seek(offset);
          file.readFully(bytes);
        }
        return new Function(offset, bytes);
      }
    }
    return null;
  }

  /**
   * File offset behind the only instruction with which a function calls the kernel; 0 if unknown.
   */
  long behindSystemCall(String name) {
    try {
      Function function = find(name);
      int at = function == null ? -1 : FunctionExits.behindSystemCall(function.code());
      return at < 0 ? 0 : function.offset() + at;
    } catch (IOException | ElfFormatException e) {
      return 0;
    }
  }
}
