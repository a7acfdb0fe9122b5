package stackweave.agent.cli.common;

import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import stackweave.jfr.export.Export;
import stackweave.jfr.read.SampledRecording;

/**
 * Where a result goes: a file, or standard output, which {@code -} names, too; text is UTF-8 in any
 * locale.
 */
public final class Output {

  /** Writes the export's text. */
  public interface Content {
    void writeTo(Appendable out) throws IOException;
  }

  private static final String STANDARD_OUTPUT = "-";

  private static final Pattern DEVICE =
      Pattern.compile("/dev/(?!shm/|mqueue/|hugepages/).+|/proc/(self|thread-self)/fd/\\d+");

  private Output() {}

  /** Whether this is standard output: null, and {@code -}. */
  public static boolean isStandardOutput(Path file) {
    return file == null || file.toString().equals(STANDARD_OUTPUT);
  }

  /** Text, to {@code file} or to standard output. */
  public static void to(Path file, Content content) throws FailedException {
    bytes(file, out -> write(out, content));
  }

  /** What is made of a recording, to {@code file} or to standard output. */
  public static void to(Path file, Export export, SampledRecording recording)
      throws FailedException {
    bytes(file, out -> export.write(recording, out));
  }

  private static void bytes(Path file, OutputFile.Content content) throws FailedException {
    try {
      if (isStandardOutput(file)) {
        bytesToStandardOutput(content);
      } else if (isDevice(file)) {
        try (OutputStream out = openDevice(file)) {
          content.writeTo(out);
        }
      } else {
        OutputFile.write(file, content);
      }
    } catch (IOException e) {
      throw cantWrite(file, e);
    }
  }

  /** Bytes that only the caller may read; to a file or to standard output. */
  public static void privately(Path file, OutputFile.Content content) throws FailedException {
    try {
      if (isStandardOutput(file)) {
        try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
          content.writeTo(out);
        }
      } else if (isDevice(file)) {
        try (OutputStream out = openDevice(file)) {
          content.writeTo(out);
        }
      } else {
        OutputFile.writePrivate(file, content);
      }
    } catch (IOException e) {
      throw cantWrite(file, e);
    }
  }

  /** Looks whether something could be written there, before it is made. */
  public static void mustBeWritable(Path file) throws FailedException {
    if (isStandardOutput(file)) {
      return;
    }
    try {
      if (isDevice(file)) {
        file.getFileSystem().provider().checkAccess(file, AccessMode.WRITE);
        return;
      }
      OutputFile.mustBeWritable(file);
    } catch (IOException e) {
      throw cantWrite(file, e);
    }
  }

  /** For the user, with the true reason. */
  public static FailedException cantWrite(Path file, IOException e) {
    boolean standard = isStandardOutput(file);
    return new FailedException(
        "can't write "
            + (standard ? "to standard output" : file)
            + ": "
            + FailedException.reason(e)
            + (standard ? "; what is there is not whole" : ""));
  }

  /**
   * Where the system alone puts files: /dev/stdout, /dev/fd/63, /dev/null. Not so in /proc, whose
   * processes' roots and directories are in others' hands.
   */
  public static boolean isDevice(Path file) {
    return DEVICE.matcher(file.toAbsolutePath().normalize().toString()).matches();
  }

  /** One that is there: neither made nor cut. */
  private static OutputStream openDevice(Path file) throws IOException {
    return Files.newOutputStream(file, StandardOpenOption.WRITE);
  }

  public static void toStandardOutput(Content content) throws FailedException {
    to(null, content);
  }

  private static void bytesToStandardOutput(OutputFile.Content content) throws IOException {
    try (OutputStream out = new FileOutputStream(FileDescriptor.out)) {
      content.writeTo(out);
    } catch (IOException e) {
      if (!"Broken pipe".equals(e.getMessage())) { // who reads has seen enough, as head does
        throw e;
      }
    }
  }

  private static void write(OutputStream out, Content content) throws IOException {
    // A failure must surface here: a PrintStream would swallow it.
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    content.writeTo(writer);
    writer.flush();
  }
}
