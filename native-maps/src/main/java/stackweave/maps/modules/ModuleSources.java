package stackweave.maps.modules;

import java.nio.file.Path;

/**
 * Where modules and their debug files are found. Immutable.
 *
 * @param process the process's directory in /proc, with maps and map_files
 * @param debugRoot where separate debug files are installed
 * @param mapFiles whether files may be opened through map_files, which needs privilege
 */
public record ModuleSources(Path process, Path debugRoot, boolean mapFiles) {

  /** With the usual directories of Linux distributions. */
  public static ModuleSources of(Path process) {
    return new ModuleSources(process, Path.of("/usr/lib/debug"), true);
  }
}
