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
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.jfr.export.Export;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * Writes a command's result to a file, or to standard output for null and {@code -}. Text is UTF-8
 * in any locale. Called by the commands. Stateless; every failure to write is a {@link
 * FailedException} for the user.
 */
public final class Output {

  /** Writes the text of a result. */
  public interface Content {
    void writeTo(Appendable out) throws IOException;
  }

  /** Writes the bytes of what is made of recordings, and says something of them. */
  public interface Result<T> {
    T writeTo(OutputStream out) throws IOException, RecordingException;
  }

  private interface Writing {
    void write(OutputFile.Content content) throws FailedException;
  }

  private static final String STANDARD_OUTPUT = "-";

  private static final Pattern DEVICE =
      Pattern.compile("/dev/(?!shm/|mqueue/|hugepages/).+|/proc/(self|thread-self)/fd/\\d+");

  private static final String STDOUT = "/dev/stdout";

  private static final Pattern DESCRIPTOR =
      Pattern.compile(STDOUT + "|/(?:dev|proc/self|proc/thread-self)/fd/(\\d+)");

  private static final Pattern FLAGS = Pattern.compile("(?m)^flags:\\s+([0-7]{1,10})$");
  private static final int OCTAL = 8;

  /** Of the flags, O_ACCMODE; 0 is O_RDONLY. */
  private static final int ACCESS_MODE = 3;

  private Output() {}

  /** Whether {@code file} means standard output: null or {@code -}. */
  public static boolean isStandardOutput(Path file) {
    return file == null || file.toString().equals(STANDARD_OUTPUT);
  }

  /** Writes text to {@code file} or to standard output. */
  public static void to(Path file, Content content) throws FailedException {
    bytes(file, out -> write(out, content));
  }

  /**
   * Writes an export of a recording to {@code file} or to standard output.
   *
   * @throws RecordingException if the recording can't be exported; nothing is replaced then
   */
  public static void to(Path file, Export export, SampledRecording recording)
      throws FailedException, RecordingException {
    unwrapping(
        content -> bytes(file, content),
        out -> {
          export.write(recording, out);
          return recording;
        });
  }

  private static void bytes(Path file, OutputFile.Content content) throws FailedException {
    mustBeOpen(file);
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

  /**
   * Writes a file that only the caller may read, or to standard output. A shutdown hook of the
   * caller completes the file if this JVM ends.
   */
  public static void privately(Path file, OutputFile.Content content) throws FailedException {
    privately(file, true, content);
  }

  /**
   * Writes what is made of recordings to a file that only the caller may read, or to standard
   * output.
   *
   * @param survivesExit whether a shutdown hook of the caller completes the file if this JVM ends;
   *     else the unfinished file is deleted then
   * @return what {@code result} says
   * @throws RecordingException if a recording can't be read; nothing is replaced then
   */
  public static <T> T resultPrivately(Path file, boolean survivesExit, Result<T> result)
      throws FailedException, RecordingException {
    return unwrapping(content -> privately(file, survivesExit, content), result);
  }

  private static void privately(Path file, boolean survivesExit, OutputFile.Content content)
      throws FailedException {
    mustBeOpen(file);
    try {
      if (isStandardOutput(file)) {
        content.writeTo(standardOutput());
      } else if (isDevice(file)) {
        try (OutputStream out = openDevice(file)) {
          content.writeTo(out);
        }
      } else {
        OutputFile.writePrivate(file, survivesExit, content);
      }
    } catch (IOException e) {
      throw cantWrite(file, e);
    }
  }

  /** Takes a {@link RecordingException} through methods that know failures to write only. */
  private static <T> T unwrapping(Writing writing, Result<T> result)
      throws FailedException, RecordingException {
    List<T> said = new ArrayList<>(1);
    RecordingException[] unreadable = new RecordingException[1];
    try {
      writing.write(
          out -> {
            try {
              said.add(result.writeTo(out));
            } catch (RecordingException e) {
              unreadable[0] = e;
              throw new IOException(e);
            }
          });
    } catch (FailedException e) {
      if (unreadable[0] != null) {
        throw unreadable[0];
      }
      throw e;
    }
    // The reader of standard output had enough before the end.
    return said.isEmpty() ? null : said.get(0);
  }

  /** Fails if {@code file} can't be written, before the command does its work. */
  public static void mustBeWritable(Path file) throws FailedException {
    mustBeOpen(file);
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

  /** The error for the user, with the file system's reason. */
  public static FailedException cantWrite(Path file, IOException e) {
    boolean standard = isStandardOutput(file);
    return new FailedException(
        "can't write "
            + (standard ? "to standard output" : file)
            + ": "
            + (e instanceof NoSuchFileException
                ? "no such directory" // the file need not be there
                : FailedException.reason(e))
            + (standard ? "; what is there is not whole" : ""));
  }

  /**
   * Whether this is a device or an open descriptor, such as /dev/stdout, /dev/fd/63 or /dev/null.
   * Paths below other processes' /proc directories are not: their users control where those lead.
   */
  public static boolean isDevice(Path file) {
    return DEVICE.matcher(file.toAbsolutePath().normalize().toString()).matches();
  }

  /** Opens an existing device; neither creates nor truncates. */
  private static OutputStream openDevice(Path file) throws IOException {
    return Files.newOutputStream(file, StandardOpenOption.WRITE);
  }

  /** Writes text to standard output. */
  public static void toStandardOutput(Content content) throws FailedException {
    to(null, content);
  }

  /**
   * Standard output, which {@code close} leaves open: where the caller has closed it, descriptor 1
   * is a file of the JVM's own, and to close that, which puts /dev/null in its place, ends the JVM
   * with SIGSEGV when it next reads there.
   */
  private static OutputStream standardOutput() {
    return new FileOutputStream(FileDescriptor.out) {
      @Override
      public void close() {
        // Nothing is kept back that would have to be written now.
      }
    };
  }

  /**
   * Refuses a descriptor that the caller has not opened for writing: it may be a file of the JVM's
   * own, such as its modules, which root would overwrite. The JVM reads those alone.
   */
  private static void mustBeOpen(Path file) throws FailedException {
    boolean standard = isStandardOutput(file);
    Matcher named =
        DESCRIPTOR.matcher(standard ? STDOUT : String.valueOf(file.toAbsolutePath().normalize()));
    if (!named.matches()) {
      return;
    }
    String number = named.group(1) == null ? "1" : named.group(1);
    boolean open;
    try {
      open =
          !Files.isRegularFile(Path.of("/proc/self/fd", number))
              || isForWriting(Files.readString(Path.of("/proc/self/fdinfo", number)));
    } catch (IOException e) {
      return; // to write says what is wrong
    }
    if (!open) {
      throw new FailedException(
          "can't write to "
              + (standard ? "standard output" : file)
              + ": it is closed, or open for reading alone: send it to a file, or to /dev/null");
    }
  }

  /** Whether a file of /proc/self/fdinfo says that its descriptor is open for writing. */
  static boolean isForWriting(String facts) {
    Matcher flags = FLAGS.matcher(facts);
    return !flags.find() || (Integer.parseInt(flags.group(1), OCTAL) & ACCESS_MODE) != 0;
  }

  private static void bytesToStandardOutput(OutputFile.Content content) throws IOException {
    try {
      content.writeTo(standardOutput());
    } catch (IOException e) {
      if (!"Broken pipe".equals(e.getMessage())) { // the reader has closed the pipe, as head does
        throw e;
      }
    }
  }

  private static void write(OutputStream out, Content content) throws IOException {
    // Not a PrintStream, which would swallow a write error.
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    content.writeTo(writer);
    writer.flush();
  }
}
