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

  public static List<Path> all() {
    List<Path> found = new ArrayList<>(libjvms());
    found.add(Path.of(System.getProperty("java.home"), "lib", "libzip.so"));
    found.add(mapped("libc.so.6"));
    Path cpp = mapped("libc.so.6").resolveSibling("libstdc++.so.6");
    if (Files.exists(cpp)) {
      found.add(cpp);
    }
    return found;
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
