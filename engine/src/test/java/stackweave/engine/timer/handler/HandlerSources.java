package stackweave.engine.timer.handler;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Commands;

/** The sources of the signal handlers, and the tools for them. */
abstract class HandlerSources {
  @TempDir Path directory;

  static final Path SOURCES = Path.of("src/main/asm").toAbsolutePath();

  Path assemble(HandlerLayout layout) throws Exception {
    Path object = directory.resolve("handler.o");
    Commands.output(
        List.of(
            tool(layout, "as"),
            "-I",
            SOURCES.toString(),
            "-o",
            object.toString(),
            SOURCES.resolve("handler-" + layout.label() + ".S").toString()));
    return object;
  }

  Map<String, Long> symbols(HandlerLayout layout) throws Exception {
    Map<String, Long> symbols = new TreeMap<>();
    String listing = Commands.output(List.of(tool(layout, "nm"), assemble(layout).toString()));
    for (String line : listing.lines().toList()) {
      String[] parts = line.split(" ");
      if (parts[1].equals("a")) {
        symbols.put(parts[2], Long.parseUnsignedLong(parts[0], 16));
      }
    }
    return symbols;
  }

  static boolean isNative(HandlerLayout layout) {
    return layout.label().equals(System.getProperty("os.arch").replace("amd64", "x86_64"));
  }

  /** The machine's own binutils and gcc, or those for the other processor. */
  static String tool(HandlerLayout layout, String name) {
    if (isNative(layout)) {
      return name;
    }
    String tool = layout.label() + "-linux-gnu-" + name;
    String label = layout.label().replace('_', '-');
    return available(
        tool,
        name.equals("gcc") ? "gcc-" + label + "-linux-gnu" : "binutils-" + label + "-linux-gnu");
  }

  static String available(String tool, String debianPackage) {
    assumeTrue(Commands.exist(tool), () -> tool + " is missing:  apt-get install " + debianPackage);
    return tool;
  }
}
