package stackweave.agent.boot;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.agent.cli.CommandsInOneJvm;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/**
 * A JVM that runs many commands of the command line in one directory: for tests of what they say,
 * and not of how the jar starts. They must not write results to standard output, which ends with
 * the first that does. Not thread-safe.
 */
final class OneJvm implements AutoCloseable {
  private final Process process;
  private final OutputStream commands;
  private final DataInputStream answers;

  /** What the JVM itself says. */
  private final Path own;

  private OneJvm(Process process, Path own) {
    this.process = process;
    this.own = own;
    this.commands = process.getOutputStream();
    this.answers = new DataInputStream(process.getInputStream());
  }

  static OneJvm start(Jvm jvm, Path directory) throws IOException {
    List<String> words = new ArrayList<>(List.of(jvm.jdk().java().toString()));
    words.addAll(ForkedJvm.quick(List.of()));
    // What surefire's own jar stands for, if it is there.
    String path = System.getProperty("java.class.path");
    words.addAll(List.of("-cp", System.getProperty("surefire.test.class.path", path)));
    words.add(CommandsInOneJvm.class.getName());
    Path own = directory.resolve("one-jvm.txt");
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    return new OneJvm(builder.redirectError(own.toFile()).start(), own);
  }

  Ended run(String... arguments) throws IOException {
    String line = String.join("\t", arguments);
    commands.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    commands.flush();
    try {
      int exit = answers.readInt();
      String out = text();
      return new Ended(line, exit, out, text(), null);
    } catch (EOFException e) {
      throw new AssertionError(line + " ended the JVM: " + Files.readString(own), e);
    }
  }

  private String text() throws IOException {
    return new String(answers.readNBytes(answers.readInt()), StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    commands.close();
    process.destroyForcibly();
  }
}
