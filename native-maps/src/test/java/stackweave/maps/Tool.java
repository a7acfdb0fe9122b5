package stackweave.maps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.symbols.SymbolTable;

/** Runs the tools that the tests compare with. */
public final class Tool {
  private Tool() {}

  /** The standard output of a command that must succeed. */
  public static String run(String... command) throws IOException, InterruptedException {
    return run(List.of(command), null);
  }

  /** The same with a file as standard input. */
  public static String run(List<String> command, Path input)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("tool", ".out");
    Path errors = Files.createTempFile("tool", ".err");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(output.toFile())
              .redirectError(errors.toFile());
      builder.environment().put("LC_ALL", "C");
      if (input != null) {
        builder.redirectInput(input.toFile());
      }
      int status = builder.start().waitFor();
      assertEquals(0, status, () -> String.join(" ", command) + ": " + readString(errors));
      return Files.readString(output, StandardCharsets.ISO_8859_1);
    } finally {
      Files.delete(output);
      Files.delete(errors);
    }
  }

  /** The name of the symbol at a pc, or "none". */
  public static String symbol(MappedModule module, long pc) {
    int symbol = module.symbolAt(pc);
    return symbol == SymbolTable.NONE ? "none" : module.symbols().name(symbol);
  }

  /** Compiles a shared library of C code. */
  public static Path compile(Path directory, String name, String source, String... flags)
      throws IOException, InterruptedException {
    Path c = directory.resolve(name + ".c");
    Path so = directory.resolve("lib" + name + ".so");
    Files.writeString(c, source);
    List<String> command = new ArrayList<>(List.of("gcc", "-shared", "-fPIC", "-O1"));
    command.addAll(List.of(flags));
    command.addAll(List.of("-o", so.toString(), c.toString()));
    run(command, null);
    return so;
  }

  private static String readString(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
