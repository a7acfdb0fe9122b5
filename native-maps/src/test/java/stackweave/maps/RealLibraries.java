package stackweave.maps;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import stackweave.maps.proc.ProcMaps;

/** Libraries of this machine that the tests read: those of every JDK on it, libc and libstdc++. */
public final class RealLibraries {
  private RealLibraries() {}

  /** Those with few symbols. */
  public static List<Path> small() {
    return List.of(
        Path.of(System.getProperty("java.home"), "lib", "libzip.so"), mapped("libc.so.6"));
  }

  /** The others. */
  public static List<Path> large() {
    List<Path> found = new ArrayList<>(libjvms());
    Path cpp = cpp();
    if (Files.exists(cpp)) {
      found.add(cpp);
    }
    return found;
  }

  /** The library of C++, whether it is there or not. */
  public static Path cpp() {
    return mapped("libc.so.6").resolveSibling("libstdc++.so.6");
  }

  static List<Path> libjvms() {
    List<Path> found = new ArrayList<>();
    found.add(Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so"));
    Path others = Path.of("/usr/lib/jvm");
    if (Files.isDirectory(others)) {
      try (Stream<Path> homes = Files.list(others)) {
        homes
            .filter(home -> !Files.isSymbolicLink(home))
            .map(home -> home.resolve("lib/server/libjvm.so"))
            .filter(Files::exists)
            .filter(libjvm -> !libjvm.equals(found.get(0)))
            .sorted()
            .forEach(found::add);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return found;
  }

  /** Where this process has a library of that name from. */
  public static Path mapped(String name) {
    try {
      return ProcMaps.read(Path.of("/proc/self")).stream()
          .map(m -> Path.of(m.path()))
          .filter(path -> path.endsWith(name))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
