package stackweave.agent.decode.failure;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;
import stackweave.agent.message.Messages;
import stackweave.linux.Libc;
import stackweave.linux.OwnDirectory;
import stackweave.unwind.StopReason;

/**
 * The directory of option record-failures: decides which stacks get a replay file, and writes the
 * files. By default these are incomplete stacks; with the prefix {@value #EVERY} every different
 * stack gets a file, for tests. The files contain bytes of the application's stacks, so only the
 * JVM's user may read them, and nobody else may write in the directory. Number, bytes and rate are
 * limited, including files of earlier runs. Used by {@link FailureRecorder}; one for the life of
 * the JVM, for the drain thread only.
 */
public final class FailureFiles {
  /** Comes before the directory if complete stacks are to be kept, too. */
  static final String EVERY = "every:";

  static final int MAX_FILES = 100;
  static final long MAX_BYTES = 16L << 20;

  /** Most files for one reason, so that rare reasons get some, too. */
  static final int MAX_OF_A_REASON = 20;

  private static final long PAUSE_NANOS = 1_000_000_000L;

  static final int MAX_EVERY_FILES = 2_000;
  private static final long MAX_EVERY_BYTES = 256L << 20;

  private static final String PREFIX = "stackweave-";
  private static final String SUFFIX = ".replay";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

  private final String directoryName;
  private final boolean every;
  private final Messages messages;
  private final int maxFiles;
  private final long maxBytes;
  private final long[] places;
  private final int[] ofReason = new int[StopReason.values().length];
  private Path directory;
  private int taken;
  private int files;
  private long bytes;
  private long lastNanos;
  private boolean broken;

  /**
   * @param directoryName as the option names it; checked and created at the first {@link #isUsable}
   * @param messages reports once why no files are written
   */
  public FailureFiles(String directoryName, Messages messages) {
    this.every = directoryName.startsWith(EVERY);
    this.directoryName = every ? directoryName.substring(EVERY.length()) : directoryName;
    this.messages = messages;
    this.maxFiles = every ? MAX_EVERY_FILES : MAX_FILES;
    this.maxBytes = every ? MAX_EVERY_BYTES : MAX_BYTES;
    this.places = new long[maxFiles];
  }

  /** Whether files can be written; if not, reports why once. Creates a missing directory. */
  public boolean isUsable() {
    if (broken || directory != null) {
      return !broken;
    }
    try {
      Path path = Path.of(directoryName);
      String problem = problemOf(path);
      if (problem != null) {
        giveUp(problem);
        return false;
      }
      // Resolves symbolic links once, so that the checked directory is the one written to.
      directory = path.toRealPath();
      countFiles(directory);
      return true;
    } catch (IOException | InvalidPathException e) {
      giveUp("can't be used (" + e + ")");
      return false;
    }
  }

  private static String problemOf(Path path) throws IOException {
    if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(path, PosixFilePermissions.asFileAttribute(permissions("rwx------")));
    }
    String problem = OwnDirectory.problemOf(path);
    return problem != null || Files.isWritable(path) ? problem : "is not writable";
  }

  private void countFiles(Path path) throws IOException {
    try (DirectoryStream<Path> list = Files.newDirectoryStream(path, PREFIX + "*" + SUFFIX)) {
      for (Path file : list) {
        files++;
        bytes += Files.size(file);
      }
    }
  }

  /** Whether complete stacks get files, too. Then a place is a stack's id. */
  boolean isEvery() {
    return every;
  }

  /**
   * Whether to write a file now for a stack that ended for this reason at this place; if so, counts
   * it.
   */
  boolean wants(StopReason reason, long place, long nowNanos) {
    if (broken
        || files >= maxFiles
        || bytes >= maxBytes
        || taken == maxFiles
        || !every && !isTimeFor(reason, nowNanos)) {
      return false;
    }
    for (int i = 0; i < taken; i++) {
      if (places[i] == place) {
        return false;
      }
    }
    places[taken++] = place;
    ofReason[reason.ordinal()]++;
    lastNanos = nowNanos;
    return true;
  }

  private boolean isTimeFor(StopReason reason, long nowNanos) {
    return isOfInterest(reason)
        && ofReason[reason.ordinal()] < MAX_OF_A_REASON
        && (taken == 0 || nowNanos - lastNanos >= PAUSE_NANOS);
  }

  /** Whether the end is not explained by a known limit. */
  private static boolean isOfInterest(StopReason reason) {
    return switch (reason) {
      case TRUNCATED, TOO_DEEP, SPLICED_TOO_DEEP, NO_REGISTERS, STACK_UNKNOWN, UNSUPPORTED_VM ->
          false;
      default -> !reason.isComplete();
    };
  }

  /** Writes a new file; after a failure no more are written. */
  void write(StopReason reason, long place, byte[] content) {
    write(file(reason, place), content);
  }

  /** The name of the next file. */
  Path file(StopReason reason, long place) {
    String label = reason.label().replaceAll("[^A-Za-z0-9]+", "-");
    if (every) {
      label = "stack" + place + "-" + label;
    }
    return directory.resolve(
        PREFIX
            + String.join(
                "-",
                TIME.format(LocalDateTime.now()),
                Integer.toString(Libc.getpid()),
                Integer.toString(taken))
            + "-"
            + label
            + SUFFIX);
  }

  void write(Path file, byte[] content) {
    if (bytes + content.length > maxBytes) {
      return;
    }
    boolean created = false;
    try (WritableByteChannel channel =
        Files.newByteChannel(
            file,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(permissions("rw-------")))) {
      created = true;
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      files++;
      bytes += content.length;
    } catch (IOException e) {
      if (created) {
        file.toFile().delete();
      }
      giveUp("took no file (" + e + ")");
    }
  }

  /** Stops writing files and reports why. */
  void giveUp(String why) {
    broken = true;
    messages.sampling("failures are not recorded: " + directoryName + " " + why);
  }

  private static Set<PosixFilePermission> permissions(String text) {
    return PosixFilePermissions.fromString(text);
  }
}
