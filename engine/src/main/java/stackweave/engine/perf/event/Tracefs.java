package stackweave.engine.perf.event;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import stackweave.maps.proc.PlainFiles;

/** The kernel's file system that describes tracepoints, wherever it is mounted. Stateless. */
public final class Tracefs {
  /** Where it is mounted as a rule. */
  public static final String ROOT = "/sys/kernel/tracing";

  private static final String[] ROOTS = {ROOT, "/sys/kernel/debug/tracing"};

  private Tracefs() {}

  /** Whether it is mounted, and this process may look into it. */
  static boolean isMounted() {
    for (String root : ROOTS) {
      if (new File(root, "events").isDirectory()) {
        return true;
      }
    }
    return false;
  }

  /** The directory of a tracepoint, or null if there is none that this process can see. */
  public static File find(String group, String tracepoint) {
    for (String root : ROOTS) {
      File directory = new File(root, "events/" + group + "/" + tracepoint);
      if (directory.exists()) {
        return directory;
      }
    }
    return null;
  }

  /**
   * The number of the tracepoint with this directory, the config of its event.
   *
   * @throws IOException if it can't be read
   * @throws NumberFormatException if it is none
   */
  public static long id(File directory) throws IOException {
    return Long.parseLong(text(directory, "id").strip());
  }

  /**
   * A file of a tracepoint's directory.
   *
   * @throws IOException if it can't be read
   */
  public static String text(File directory, String name) throws IOException {
    return PlainFiles.text(new File(directory, name).getPath(), StandardCharsets.ISO_8859_1);
  }
}
