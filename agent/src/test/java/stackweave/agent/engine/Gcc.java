package stackweave.agent.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Compiles the C sources of the tests. */
public final class Gcc {
  private Gcc() {}

  /** Compiles {@code native/<source>} into {@code directory/<output>}. */
  public static Path compile(Path directory, String source, String output, String... options)
      throws Exception {
    Path c = directory.resolve(source);
    try (InputStream in = Gcc.class.getResourceAsStream("/native/" + source)) {
      Files.write(c, in.readAllBytes());
    }
    Path out = directory.resolve(output);
    List<String> command = new ArrayList<>(List.of("gcc", "-O1", "-o", out.toString()));
    command.addAll(List.of(options));
    command.add(c.toString());
    run(command);
    return out;
  }

  /** The lines of {@code native/<name>}. */
  public static List<String> lines(String name) throws IOException {
    try (InputStream in = Gcc.class.getResourceAsStream("/native/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
    }
  }

  /** Runs a command that must succeed; returns what it printed. */
  public static String run(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), () -> command + ": " + output);
    return output;
  }
}
