package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.store.SampleWriter;
import stackweave.jfr.store.SyntheticStacks;

/** The program of docs/reading-results.md compiles, runs, and prints what is in the recording. */
class ReadingPageTest {
  private static final Path PAGE = Path.of("../docs/reading-results.md");
  private static final int SAMPLES = 400;

  @Test
  void theExampleWorks(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("rec.jfr");
    try (Recording recording = new Recording();
        SampleWriter writer = new SampleWriter()) {
      recording.start();
      writer.write(0, SAMPLES);
      recording.dump(file);
    }
    String page = Files.readString(PAGE);
    int begin = page.indexOf("```java\n") + "```java\n".length();
    Path source = directory.resolve("HotLines.java");
    Files.writeString(source, page.substring(begin, page.indexOf("```\n", begin)));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int failed =
        compiler.run(
            null,
            errors,
            errors,
            "-Xlint:all",
            "-Werror",
            "-proc:none",
            "-cp",
            System.getProperty("java.class.path"),
            "-d",
            directory.toString(),
            source.toString());
    assertEquals(0, failed, () -> errors.toString(StandardCharsets.UTF_8));

    Path html = directory.resolve("rec.html");
    String printed = run(directory, file, html);
    assertTrue(printed.matches("(?s)(0 ms  T\\.java:\\d+\n){10}0 samples were lost\n"), printed);
    assertTrue(Files.readString(html).contains("my recording"));

    // The first line is the one that most stacks have innermost in Java.
    int[] counts = new int[1_000];
    for (long number = 0; number < SAMPLES; number++) {
      counts[SyntheticStacks.innermostLine(number)]++;
    }
    int first =
        Integer.parseInt(printed.substring(printed.indexOf(':') + 1, printed.indexOf('\n')));
    for (int count : counts) {
      assertTrue(count <= counts[first], "line " + first);
    }
  }

  private static String run(Path directory, Path file, Path html) throws Exception {
    PrintStream out = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      loader
          .loadClass("HotLines")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {file.toString(), html.toString()});
    } finally {
      System.setOut(out);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
