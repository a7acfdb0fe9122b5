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
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;
import stackweave.jfr.export.Export;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.linux.Descriptor;
import stackweave.linux.Randomness;

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

  private static final String STANDARD_OUTPUT = "-";

  /** How the names of temporary files begin and end. */
  private static final String TEMPORARY = "stackweave-";

  private static final String RECORDING = ".jfr";

  private static final Pattern DEVICE =
      Pattern.compile("/dev/(?!shm/|mqueue/|hugepages/).+|/proc/(self|thread-self)/fd/\\d+");

  private static final Pattern STANDARD =
      Pattern.compile("/dev/stdout|/(?:dev|proc/self|proc/thread-self)/fd/1");

  private Output() {}

  /** Whether {@code file} means standard output: null, {@code -}, or a name of descriptor 1. */
  public static boolean isStandardOutput(Path file) {
    return file == null
        || file.toString().equals(STANDARD_OUTPUT)
        || STANDARD.matcher(file.toAbsolutePath().normalize().toString()).matches();
  }

  /** Writes text to {@code file} or to standard output. */
  public static void to(Path file, Content content) throws FailedException {
    write(
        file,
        false,
        false,
        out -> {
          // Not a PrintStream, which would swallow a write error.
          Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
          content.writeTo(writer);
          writer.flush();
        });
  }

  /** Writes text to standard output. */
  public static void toStandardOutput(Content content) throws FailedException {
    to(null, content);
  }

  /**
   * Writes an export of a recording to {@code file} or to standard output.
   *
   * @throws RecordingException if the recording can't be exported; nothing is replaced then
   */
  public static void to(
      Path file, Export<? super SampledRecording> export, SampledRecording recording)
      throws FailedException, RecordingException {
    write(file, false, false, out -> export.write(recording, out));
  }

  /**
   * Writes a file that only the caller may read, or to standard output.
   *
   * @param survivesExit whether a shutdown hook of the caller completes the file if this JVM ends;
   *     else the unfinished file is deleted then
   * @throws E if the content can't be made; nothing is replaced then
   */
  public static <E extends Exception> void privately(
      Path file, boolean survivesExit, OutputFile.Content<E> content) throws FailedException, E {
    write(file, true, survivesExit, content);
  }

  private static <E extends Exception> void write(
      Path file, boolean ownerOnly, boolean survivesExit, OutputFile.Content<E> content)
      throws FailedException, E {
    try {
      if (isStandardOutput(file)) {
        content.writeTo(standardOutput());
      } else if (isDevice(file)) {
        mustBeNoFile(file);
        // Neither creates nor truncates.
        try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
          content.writeTo(out);
        }
      } else if (ownerOnly) {
        OutputFile.writePrivate(file, survivesExit, content);
      } else {
        OutputFile.write(file, content);
      }
    } catch (IOException e) {
      // The reader of an export may close the pipe, as head does.
      boolean isEnough = isStandardOutput(file) && "Broken pipe".equals(e.getMessage());
      if (!isEnough || ownerOnly) {
        throw cantWrite(file, e);
      }
    }
  }

  /** Fails if {@code file} can't be written, before the command does its work. */
  public static void mustBeWritable(Path file) throws FailedException {
    if (isStandardOutput(file)) {
      return;
    }
    try {
      if (isDevice(file)) {
        mustBeNoFile(file);
        file.getFileSystem().provider().checkAccess(file, AccessMode.WRITE);
        return;
      }
      OutputFile.mustBeWritable(file);
    } catch (IOException e) {
      throw cantWrite(file, e);
    }
  }

  /**
   * Refuses an output that would overwrite an input.
   *
   * @param name the name for an input in the message
   */
  public static void mustNotBe(Path output, String name, Path... inputs) throws FailedException {
    for (Path input : isStandardOutput(output) ? new Path[0] : inputs) {
      try {
        if (Files.exists(output) && Files.isSameFile(output, input)) {
          throw new FailedException(output + " is " + name + " itself: choose another -o");
        }
      } catch (IOException e) {
        throw new FailedException("can't write " + output + ": " + FailedException.reason(e));
      }
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
                ? "no such directory" // the file itself may be missing
                : FailedException.reason(e))
            + (standard ? "; the output is incomplete" : ""));
  }

  /**
   * Whether this is a device or an open descriptor, such as /dev/stdout, /dev/fd/63 or /dev/null.
   * Paths below other processes' /proc directories are not: their users control where those lead.
   */
  public static boolean isDevice(Path file) {
    return DEVICE.matcher(file.toAbsolutePath().normalize().toString()).matches();
  }

  /**
   * A temporary file without a name that only its owner may access, so that nothing is left however
   * this process ends, unless it is kept. This process reads and writes it by the descriptor's
   * path.
   *
   * @param directory has the file system for it
   */
  public static Descriptor temporary(Path directory) throws IOException {
    try {
      return Descriptor.unnamed(directory);
    } catch (FileSystemException e) {
      // Some file systems have no such files. If it is something else, it is met again here.
      Path named = Files.createTempFile(directory, TEMPORARY, RECORDING);
      try {
        return Descriptor.file(named);
      } finally {
        Files.delete(named);
      }
    }
  }

  /**
   * Gives a temporary file a name, by which it stays. It needs no room, except in a file system
   * without files that have no name: there it is copied.
   *
   * @param directory that of the file
   * @return its name, a new one
   */
  public static Path keep(Descriptor temporary, Path directory) throws IOException {
    Path named = directory.resolve(TEMPORARY + Long.toHexString(Randomness.next()) + RECORDING);
    try {
      temporary.link(named);
    } catch (FileSystemException e) {
      OutputFile.writePrivate(named, true, out -> Files.copy(temporary.path(), out));
    }
    return named;
  }

  /**
   * Standard output, which {@code close} leaves open. If the caller has closed it, descriptor 1 is
   * a file of the JVM's own; closing that would replace it by /dev/null, and the JVM would end with
   * SIGSEGV at its next read.
   */
  private static OutputStream standardOutput() {
    return new FileOutputStream(FileDescriptor.out) {
      @Override
      public void close() {
        // Nothing is buffered.
      }
    };
  }

  /**
   * Refuses a file that is named by a descriptor: if the caller has not opened that, it may be a
   * file of the JVM's own, such as its modules, which root would overwrite.
   */
  private static void mustBeNoFile(Path device) throws IOException {
    if (Files.isRegularFile(device)) {
      throw new FileSystemException(
          device.toString(), null, "that descriptor is a file: name the file itself");
    }
  }
}
