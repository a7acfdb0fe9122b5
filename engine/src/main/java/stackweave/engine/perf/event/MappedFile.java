package stackweave.engine.perf.event;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.proc.Mapping;

/** The file of a mapping, as a path that this process and the kernel can open. Stateless. */
public final class MappedFile {
  private MappedFile() {}

  /**
   * Its path. Of another process it is the link in map_files, since the mapping's path may name
   * another file here: it is that of the process's root. Only root may use that link, as is the
   * case of probes.
   *
   * @throws IOException if it is no regular file, or the link can't be used
   */
  public static String path(SampledProcess process, Mapping mapping) throws IOException {
    if (process.isOwn()) {
      return mapping.path();
    }
    String link =
        process.file(
            "map_files/"
                + Long.toHexString(mapping.start())
                + "-"
                + Long.toHexString(mapping.end()));
    if (!Files.isRegularFile(Path.of(link))) {
      throw new IOException(link + " can't be opened, or is no regular file");
    }
    return link;
  }

  /** Whether a probe can be put into it: of this process, only if its path still names it. */
  public static boolean isThere(SampledProcess process, Mapping mapping) {
    return !process.isOwn() || !mapping.deleted();
  }
}
