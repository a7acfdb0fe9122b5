package stackweave.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compiles the C sources of tests. Thread-safe. */
public final class Gcc {
  private static final String NATIVE = "gcc";

  private Gcc() {}

  /**
   * Compiles the resource {@code /native/<source>} of the tests into {@code directory/<output>}.
   */
  public static Path compile(Path directory, String source, String output, String... options)
      throws IOException, InterruptedException {
    return compile(NATIVE, directory, source, output, options);
  }

  /** The same by a compiler for another processor. */
  public static Path compile(
      String compiler, Path directory, String source, String output, String... options)
      throws IOException, InterruptedException {
    Path c = directory.resolve(source);
    try (InputStream in = Gcc.class.getResourceAsStream("/native/" + source)) {
      Files.write(c, in.readAllBytes());
    }
    Path out = directory.resolve(output);
    List<String> command = new ArrayList<>(List.of(compiler, "-O1", "-o", out.toString()));
    command.addAll(List.of(options));
    command.add(c.toString());
    Commands.output(command);
    return out;
  }

  /** The lines of the resource {@code /native/<name>} of the tests. */
  public static List<String> lines(String name) throws IOException {
    try (InputStream in = Gcc.class.getResourceAsStream("/native/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
    }
  }

  /** Compiles C code into {@code directory/lib<name>.so}; its source stays beside as a file. */
  public static Path library(Path directory, String name, String code, String... options)
      throws IOException, InterruptedException {
    Path c = Files.writeString(directory.resolve(name + ".c"), code);
    Path library = directory.resolve("lib" + name + ".so");
    List<String> command = new ArrayList<>(List.of(NATIVE, "-shared", "-fPIC", "-O1"));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", library.toString(), c.toString()));
    Commands.output(command);
    return library;
  }

  /** What a compiler prints of C code with options such as {@code -E}. */
  public static String print(String compiler, String code, String... options)
      throws IOException, InterruptedException {
    Path c = Files.createTempFile("code", ".c");
    try {
      Files.writeString(c, code);
      List<String> command = new ArrayList<>(List.of(compiler));
      command.addAll(List.of(options));
      command.add(c.toString());
      return Commands.output(command);
    } finally {
      Files.delete(c);
    }
  }
}
