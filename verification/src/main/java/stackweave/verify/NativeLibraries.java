package stackweave.verify;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** The libraries and programs that this module's build compiles. Thread-safe. */
public final class NativeLibraries {
  private NativeLibraries() {}

  /** The path of a library, built or not: {@code target/native/libNAME.so}. */
  public static Path library(String name) {
    return file("lib" + name + ".so");
  }

  /** The path of another file there, built or not. */
  public static Path file(String name) {
    try {
      Path code =
          Path.of(
              NativeLibraries.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return code.resolveSibling("native").resolve(name).toAbsolutePath();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
