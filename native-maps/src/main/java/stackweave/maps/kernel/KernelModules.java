package stackweave.maps.kernel;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.maps.proc.PlainFiles;

/**
 * The kernel's loaded modules, from /proc/modules, with lines {@code name size users dependencies
 * state address}. Immutable. Source: kernel/module/procfs.c, m_show.
 *
 * @param byName the live modules, without those being loaded or unloaded
 */
public record KernelModules(Map<String, Module> byName) {
  private static final int SIZE = 1;
  private static final int STATE = 4;
  private static final int ADDRESS = 5;

  public KernelModules {
    byName = Map.copyOf(byName);
  }

  /**
   * The address range of a module.
   *
   * @param start of its code
   * @param end an upper limit of its code. Since Linux 6.4 code and data of a module are apart, and
   *     the kernel reports the sum of their sizes
   */
  public record Module(long start, long end) {

    /** Whether the address may be this module's. */
    boolean holds(long address) {
      return address - start >= 0 && address - end < 0;
    }
  }

  /**
   * Reads a file in the format of /proc/modules. Modules with hidden addresses are left out; a
   * missing file means no modules.
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
        continue; // not in this format: the module is left out
      }
    }
    return new KernelModules(modules);
  }

  /** The live module of this name, or null. */
  Module named(String name) {
    return byName.get(name);
  }
}
