package stackweave.maps.kernel;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.maps.proc.PlainFiles;

/**
 * The kernel's loaded modules, from /proc/modules: {@code name size users dependencies state
 * address} a line. Immutable. Source: kernel/module/procfs.c, m_show.
 *
 * @param byName the live modules; one that is being loaded or unloaded is not among them
 */
public record KernelModules(Map<String, Module> byName) {
  private static final int SIZE = 1;
  private static final int STATE = 4;
  private static final int ADDRESS = 5;

  public KernelModules {
    byName = Map.copyOf(byName);
  }

  /**
   * Where a module is.
   *
   * @param start of its code
   * @param end behind which nothing is its own. Since Linux 6.4 code and data of a module lie
   *     apart, and the size that the kernel states is that of both: so the code ends earlier
   */
  public record Module(long start, long end) {

    /** Whether the address can be this module's. */
    boolean holds(long address) {
      return address - start >= 0 && address - end < 0;
    }
  }

  /**
   * Reads a file of the format of /proc/modules. Modules whose address is hidden are left out; a
   * kernel without modules has no such file, and none of them.
   */
  public static KernelModules read(Path file) {
    List<String> lines;
    try {
      lines = PlainFiles.lines(file.toString());
    } catch (IOException e) {
      return new KernelModules(Map.of());
    }
    Map<String, Module> modules = new HashMap<>();
    for (String line : lines) {
      String[] fields = line.split(" ", -1);
      if (fields.length <= ADDRESS || !fields[STATE].equals("Live")) {
        continue;
      }
      try {
        long size = Long.parseLong(fields[SIZE]);
        long start = Long.parseUnsignedLong(fields[ADDRESS].replaceFirst("^0x", ""), 16);
        if (start != 0 && size > 0) {
          modules.put(fields[0], new Module(start, start + size));
        }
      } catch (NumberFormatException e) {
        continue; // no line of this format: nothing is known of this module
      }
    }
    return new KernelModules(modules);
  }

  /** The live module of this name, or null. */
  Module named(String name) {
    return byName.get(name);
  }
}
