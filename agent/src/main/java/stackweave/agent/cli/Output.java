package stackweave.agent.cli;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where an export goes: a file, or standard output; UTF-8 in any locale. */
final class Output {

  /** Writes the export's text. */
  interface Content {
    void writeTo(Appendable out) throws IOException;
  }

  private Output() {}

  /** To {@code file}, or to standard output if it is null. */
  static void to(Path file, Content content) throws FailedException {
    if (file == null) {
      toStandardOutput(content);
    } else {
      toFile(file, content);
    }
  }

  static void toFile(Path file, Content content) throws FailedException {
    try {
      if (isDevice(file)) {
        try (OutputStream out = Files.newOutputStream(file)) {
          write(out, content);
        }
      } else {
        OutputFile.write(file, out -> write(out, content));
      }
    } catch (IOException e) {
      throw new FailedException("can't write " + file + ": " + FailedException.reason(e));
    }
  }

  /** Where the system alone puts files: /dev/stdout, /dev/fd/63, /dev/null. */
  private static boolean isDevice(Path file) {
    Path name = file.toAbsolutePath().normalize();
    return name.startsWith("/dev") && !name.startsWith("/dev/shm") || name.startsWith("/proc");
  }

  static void toStandardOutput(Content content) throws FailedException {
    try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
      write(out, content);
    } catch (IOException e) {
      if ("Broken pipe".equals(e.getMessage())) {
        return; // who reads has seen enough, as head does
      }
      throw new FailedException("can't write to standard output: " + FailedException.reason(e));
    }
  }

  private static void write(OutputStream out, Content content) throws IOException {
    // A failure must surface here: a PrintStream would swallow it.
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    content.writeTo(writer);
    writer.flush();
  }
}
