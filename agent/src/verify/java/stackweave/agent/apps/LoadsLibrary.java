package stackweave.agent.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Loads a native library of its own, as an application does that has not asked for access. */
public final class LoadsLibrary {

  private LoadsLibrary() {}

  public static void main(String[] arguments) throws IOException {
    String library =
        Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .filter(line -> line.matches(".*/libc[.-].*so.*"))
            .map(line -> line.substring(line.indexOf('/')))
            .findFirst()
            .orElseThrow();
    System.load(library);
    System.out.println("loaded");
  }
}
