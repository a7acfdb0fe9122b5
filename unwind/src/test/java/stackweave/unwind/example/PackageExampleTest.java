package stackweave.unwind.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example in the package's comment is compiled and run. */
class PackageExampleTest {
  private static final Path PACKAGE = Path.of("src/main/java/stackweave/unwind/package-info.java");
  private static final Path CLASSES = Path.of("target/classes").toAbsolutePath();

  @Test
  void exampleDoesWhatItSays(@TempDir Path directory) throws Exception {
    String comment = Files.readString(PACKAGE);
    String code =
        comment
            .substring(comment.indexOf("<pre>{@code") + 11, comment.indexOf("}</pre>"))
            .lines()
            .map(line -> line.replaceFirst("^ \\* ?", ""))
            .collect(Collectors.joining("\n"));
    Path source = directory.resolve("Example.java");
    Files.writeString(
        source,
        "import java.nio.*;\nimport stackweave.unwind.*;\nimport stackweave.unwind.rule.*;\n"
            + "import stackweave.unwind.walk.*;\n"
            + "public class Example {\n  public static void main(String[] arguments) {\n"
            + code
            + "\n  }\n}\n");
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, messages, messages, "-cp", "" + CLASSES, "" + source);
    assertEquals(0, result, messages.toString(StandardCharsets.UTF_8));

    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream standard = System.out;
    URL[] path = {directory.toUri().toURL(), CLASSES.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
      System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
      loader
          .loadClass("Example")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(standard);
    }
    assertEquals(
        List.of("1100", "1234", "unreadable memory"),
        output.toString(StandardCharsets.UTF_8).lines().toList());
  }
}
