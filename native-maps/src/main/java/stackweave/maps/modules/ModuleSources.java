package stackweave.maps.modules;

import java.nio.file.Path;
import stackweave.maps.proc.ProcessFiles;

/**
 * Where modules and their debug files are found. Immutable.
 *
 * @param process the process's directory in /proc, with maps and map_files
 * @param debugRoot where separate debug files are installed
 * @param files opens the files
 * @param mapFiles whether files may be opened through map_files, which needs privilege
 */
public record ModuleSources(Path process, Path debugRoot, ProcessFiles files, boolean mapFiles) {

  /** With the usual directories of Linux distributions. */
  public static ModuleSources of(Path process, ProcessFiles files) {
    return new ModuleSources(process, Path.of("/usr/lib/debug"), files, true);
  }
}
