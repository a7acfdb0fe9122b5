package stackweave.sframe.example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The example in docs is compiled against the classes of unwind and sframe-tools alone, and run.
 */
class DocumentedExampleTest {
  private static final Path SOURCE = Path.of("../docs/examples/UnwindExample.java");
  private static final Path UNWIND = Path.of("../unwind/target/classes").toAbsolutePath();
  private static final Path CLASSES = Path.of("target/classes").toAbsolutePath();

  @TempDir private Path directory;

  @Test
  void exampleDoesWhatItSays() throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int result =
        compiler.run(
            null,
            messages,
            messages,
            "-Xlint:all",
            "-Werror",
            "-proc:none",
            "--release",
            "17",
            "-cp",
            UNWIND + File.pathSeparator + CLASSES,
            "-d",
            directory.toString(),
            SOURCE.toString());
    assertEquals(0, result, messages.toString(StandardCharsets.UTF_8));

    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream standard = System.out;
    URL[] path = {directory.toUri().toURL(), UNWIND.toUri().toURL(), CLASSES.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
      System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
      loader
          .loadClass("UnwindExample")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(standard);
    }
    assertEquals(
        List.of(
            "0 faults",
            "#func\tstart\tsize\trowpc\tcfa\tfp\tra\tflags",
            "0\t1000\t32\t1000\tundef\tundef\tundef\tundef",
            "1\t1020\t64\t1020\tsp+8\tu\tf\t-",
            "1\t1020\t64\t1021\tsp+16\tc-16\tf\t-",
            "pc 7f0000001030 sp 7fff00000000 fp 7fff00000000",
            "pc 7f0000001010 sp 7fff00000010 fp beef",
            "complete"),
        output.toString(StandardCharsets.UTF_8).lines().toList());
  }
}
