package stackweave.agent.cli.common;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import stackweave.agent.linux.OwnDirectory;
import stackweave.agent.linux.Randomness;

/**
 * Writes a result file: under a temporary name in the destination's directory, then renames it. So
 * a symbolic link that somebody else put there is not followed, and an existing file stays until
 * the new one is complete. Only a regular file of the caller's is ever replaced, and only where the
 * caller sent it ({@link OutputPlace}). Stateless.
 */
public final class OutputFile {

  /** Writes the bytes of a file. */
  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<StandardOpenOption> EXCLUSIVE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  /** More than a file system stores inside an inode. */
  private static final int PROBE_BYTES = 1 << 16;

  private static final String PROCESSES = "/proc";

  private OutputFile() {}

  /**
   * Tests whether a file could be written, by writing one beside it: only that detects a full or
   * read-only file system.
   */
  static void mustBeWritable(Path file) throws IOException {
    try (SecureDirectoryStream<Path> directory = open(parent(file))) {
      replaced(directory, file.toAbsolutePath().getFileName());
      Path probe = unfinished();
      try (SeekableByteChannel channel =
          directory.newByteChannel(
              probe, EXCLUSIVE, PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
        for (ByteBuffer probed = ByteBuffer.allocate(PROBE_BYTES); probed.hasRemaining(); ) {
          channel.write(probed);
        }
      } finally {
        delete(directory, probe);
      }
    }
  }

  /** The directory for a file; fails where no file may be written below it. */
  private static Path parent(Path file) throws IOException {
    if (file.toString().isEmpty()) {
      throw new FileSystemException("", null, "the name is empty");
    }
    if (file.toAbsolutePath().normalize().startsWith(PROCESSES)) {
      // Links in /proc lead to where the process's user decides, resolved from this command's root.
      throw new FileSystemException(
          file.toString(), null, "it is in a process's own sight: choose another -o");
    }
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null) {
      throw new FileSystemException(file.toString(), null, "Is a directory");
    }
    return parent;
  }

  private static Path unfinished() {
    return Path.of(".stackweave-" + Long.toHexString(Randomness.next()) + ".part");
  }

  private static void delete(SecureDirectoryStream<Path> directory, Path file) throws IOException {
    try {
      directory.deleteFile(file);
    } catch (NoSuchFileException e) {
      return; // it was not created
    }
  }

  /**
   * Writes a file that only its owner may read.
   *
   * @param survivesExit whether a shutdown hook of the caller completes it if the JVM ends
   */
  static void writePrivate(Path file, boolean survivesExit, Content content) throws IOException {
    write(file, true, survivesExit, content);
  }

  /** Writes a file with the usual permissions, or with those of the one that it replaces. */
  public static void write(Path file, Content content) throws IOException {
    write(file, false, false, content);
  }

  private static void write(Path file, boolean ownerOnly, boolean survivesExit, Content content)
      throws IOException {
    try (SecureDirectoryStream<Path> directory = open(parent(file))) {
      Path name = file.toAbsolutePath().getFileName();
      PosixFileAttributes before = replaced(directory, name);
      Path unfinished = unfinished();
      FileAttribute<?>[] permissions =
          ownerOnly
              ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
              : before != null
                  ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(before.permissions())
                  }
                  : new FileAttribute<?>[0];
      Thread onInterrupt = new Thread(() -> deleteQuietly(directory, unfinished));
      boolean renamed = false;
      try (SeekableByteChannel channel =
          directory.newByteChannel(unfinished, EXCLUSIVE, permissions)) {
        if (!survivesExit) {
          atExit(onInterrupt);
        }
        try (OutputStream out = Channels.newOutputStream(channel)) {
          content.writeTo(out);
        }
        replaced(directory, name);
        directory.move(unfinished, directory, name);
        renamed = true;
      } finally {
        notAtExit(onInterrupt);
        if (!renamed) {
          delete(directory, unfinished);
        }
      }
    }
  }

  /**
   * Deletes the unfinished file of an export on Ctrl-C. Not used for a recording, which is
   * completed in a shutdown hook.
   */
  private static void atExit(Thread thread) {
    try {
      Runtime.getRuntime().addShutdownHook(thread);
    } catch (IllegalStateException e) {
      return; // the JVM is shutting down; this file is written by a shutdown hook
    }
  }

  private static void notAtExit(Thread thread) {
    try {
      Runtime.getRuntime().removeShutdownHook(thread);
    } catch (IllegalStateException e) {
      return; // the JVM is shutting down: the hook runs or has run
    }
  }

  private static void deleteQuietly(SecureDirectoryStream<Path> directory, Path file) {
    try {
      delete(directory, file);
    } catch (IOException | ClosedDirectoryStreamException e) {
      return; // the JVM is ending: nothing can report it
    }
  }

  private static SecureDirectoryStream<Path> open(Path directory) throws IOException {
    DirectoryStream<Path> stream = Files.newDirectoryStream(directory);
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      boolean chosen = false;
      try {
        PosixFileAttributeView opened = secure.getFileAttributeView(PosixFileAttributeView.class);
        OutputPlace.mustBeChosen(directory, opened.readAttributes().owner(), owner());
        chosen = true;
        return secure;
      } finally {
        if (!chosen) {
          secure.close();
        }
      }
    }
    stream.close();
    throw new FileSystemException(
        directory.toString(), null, "this file system can't be used safely");
  }

  /**
   * The attributes of the file that renaming would replace, or null if there is none. Fails if it
   * may not be replaced.
   */
  private static PosixFileAttributes replaced(SecureDirectoryStream<Path> directory, Path name)
      throws IOException {
    PosixFileAttributes attributes;
    try {
      attributes =
          directory
              .getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              .readAttributes();
    } catch (NoSuchFileException e) {
      return null;
    }
    String problem = problemOf(attributes);
    if (problem != null) {
      throw new FileSystemException(name.toString(), null, problem);
    }
    if (!attributes.owner().equals(owner())) {
      throw new FileSystemException(
          name.toString(),
          null,
          "it belongs to another user ("
              + OwnDirectory.userName(attributes.owner())
              + "): remove it, or choose another -o");
    }
    return attributes;
  }

  private static String problemOf(BasicFileAttributes attributes) {
    if (attributes.isDirectory()) {
      return "Is a directory";
    }
    if (attributes.isSymbolicLink()) {
      return "it is a link: name the file itself, or choose another -o";
    }
    return attributes.isRegularFile() ? null : "it is no regular file: choose another -o";
  }

  private static UserPrincipal owner() throws IOException {
    return owner(OwnDirectory.effectiveUid());
  }

  /** The owner of files that a user makes. */
  static UserPrincipal owner(int uid) throws IOException {
    // Signed, as the JDK has it: it finds no id above 2³¹.
    return Path.of("/")
        .getFileSystem()
        .getUserPrincipalLookupService()
        .lookupPrincipalByName(Integer.toString(uid));
  }
}
