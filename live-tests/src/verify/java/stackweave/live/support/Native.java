package stackweave.live.support;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** The libraries and programs of these tests, as {@code src/test/c/build} made them. */
public final class Native {
  private Native() {}

  /** The path of {@code target/native/libNAME.so}. */
  public static Path library(String name) {
    return program("lib" + name + ".so");
  }

  /** The path of {@code target/native/NAME}. */
  public static Path program(String name) {
    try {
      Path classes =
          Path.of(Native.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return classes.toAbsolutePath().resolveSibling("native").resolve(name);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
