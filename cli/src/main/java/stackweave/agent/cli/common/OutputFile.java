package stackweave.agent.cli.common;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.ClosedDirectoryStreamException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import stackweave.linux.FileFacts;
import stackweave.linux.OwnDirectory;
import stackweave.linux.PathWalk;
import stackweave.linux.Randomness;

/**
 * Writes a result file: under a temporary name in the destination's directory, then renames it. So
 * it follows no symbolic link of another user, and an existing file stays until the new one is
 * complete. It replaces only a regular file that the caller owns, in a directory that the caller
 * chose. Stateless.
 */
public final class OutputFile {

  /** Writes the bytes of a file. */
  public interface Content<E extends Exception> {
    void writeTo(OutputStream out) throws IOException, E;
  }

  private static final int ROOT = 0;
  private static final Path TOP = Path.of("/");
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
    write(file, true, true, true, out -> out.write(new byte[PROBE_BYTES]));
  }

  /**
   * Writes a file that only its owner may read.
   *
   * @param survivesExit whether a shutdown hook of the caller completes it if the JVM ends
   */
  static <E extends Exception> void writePrivate(
      Path file, boolean survivesExit, Content<E> content) throws IOException, E {
    write(file, false, true, survivesExit, content);
  }

  /** Writes a file with the usual permissions, or with those of the one that it replaces. */
  public static <E extends Exception> void write(Path file, Content<E> content)
      throws IOException, E {
    write(file, false, false, false, content);
  }

  private static <E extends Exception> void write(
      Path file, boolean isProbe, boolean ownerOnly, boolean survivesExit, Content<E> content)
      throws IOException, E {
    try (SecureDirectoryStream<Path> directory = open(parent(file))) {
      Path name = file.toAbsolutePath().getFileName();
      PosixFileAttributes before = replaced(directory, name);
      Path unfinished = Path.of(".stackweave-" + Long.toHexString(Randomness.next()) + ".part");
      Set<PosixFilePermission> permissions =
          ownerOnly ? OWNER_ONLY : before != null ? before.permissions() : null;
      FileAttribute<?>[] attributes =
          permissions == null
              ? new FileAttribute<?>[0] // the default permissions
              : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)};
      Thread onInterrupt = new Thread(() -> delete(directory, unfinished));
      boolean isRenamed = false;
      try {
        try (OutputStream out =
            Channels.newOutputStream(directory.newByteChannel(unfinished, EXCLUSIVE, attributes))) {
          if (!survivesExit) {
            atExit(onInterrupt);
          }
          content.writeTo(out);
        }
        if (!isProbe) {
          replaced(directory, name);
          directory.move(unfinished, directory, name);
          isRenamed = true;
        }
      } finally {
        notAtExit(onInterrupt);
        if (!isRenamed) {
          delete(directory, unfinished);
        }
      }
    }
  }

  /** The directory for a file; fails where no file may be written below it. */
  private static Path parent(Path file) throws IOException {
    if (file.toString().isEmpty()) {
      throw new FileSystemException("", null, "the name is empty");
    }
    if (file.toAbsolutePath().normalize().startsWith(PROCESSES)) {
      // Links in /proc lead where the process's user decides, resolved from this command's root.
      throw new FileSystemException(
          file.toString(), null, "it is in a process's own sight: choose another -o");
    }
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null) {
      throw new FileSystemException(file.toString(), null, "Is a directory");
    }
    return parent;
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
      return; // the JVM is shutting down, and the hook runs or has run
    }
  }

  private static void delete(SecureDirectoryStream<Path> directory, Path file) {
    try {
      directory.deleteFile(file);
    } catch (IOException | ClosedDirectoryStreamException e) {
      return; // it was not created, or the JVM is ending: nothing can report it
    }
  }

  private static SecureDirectoryStream<Path> open(Path directory) throws IOException {
    SecureDirectoryStream<Path> secure = pinned(directory);
    try {
      PosixFileAttributeView opened = secure.getFileAttributeView(PosixFileAttributeView.class);
      mustBeChosen(directory, opened.readAttributes().owner());
      return secure;
    } catch (IOException e) {
      secure.close();
      throw e;
    }
  }

  private static SecureDirectoryStream<Path> pinned(Path directory) throws IOException {
    DirectoryStream<Path> stream = Files.newDirectoryStream(directory);
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    stream.close();
    return new PinnedDirectory(directory);
  }

  /**
   * Checks that the directory was the caller's choice. The owner of a directory or link on the path
   * decides where the rest of the path leads, and could redirect a file of root's: so such an owner
   * may lead only to a directory of his own. The directory is open already, and other users can
   * replace only what comes after the first such owner on the path.
   *
   * @param directory absolute
   * @param owner of the directory that was opened by that name
   * @throws FileSystemException if another user decides where the directory is
   */
  private static void mustBeChosen(Path directory, UserPrincipal owner) throws IOException {
    int caller = OwnDirectory.effectiveUid();
    int top = FileFacts.of(TOP).uid();
    int[] first = {caller};
    PathWalk.follow(
        TOP,
        directory,
        (part, facts) -> {
          first[0] = facts.uid();
          return first[0] == caller || first[0] == top || first[0] == ROOT;
        });
    boolean isTrusted = first[0] == caller || first[0] == top || first[0] == ROOT;
    if (!isTrusted && !owner(first[0]).equals(owner)) {
      throw new FileSystemException(
          directory.toString(),
          null,
          String.format(
              "a part of the path is another user's (%s), who may change it: name the directory"
                  + " itself, without links, or choose another -o",
              OwnDirectory.userName(owner(first[0]))));
    }
  }

  /**
   * The attributes of the file that renaming would replace, or null if there is none. Fails if it
   * may not be replaced.
   */
  private static PosixFileAttributes replaced(SecureDirectoryStream<Path> directory, Path name)
      throws IOException {
    PosixFileAttributes found;
    try {
      found =
          directory
              .getFileAttributeView(name, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
              .readAttributes();
    } catch (NoSuchFileException e) {
      return null;
    }
    String problem = null;
    if (found.isDirectory()) {
      problem = "Is a directory";
    } else if (found.isSymbolicLink()) {
      problem = "it is a link: name the file itself, or choose another -o";
    } else if (!found.isRegularFile()) {
      problem = "it is no regular file: choose another -o";
    } else if (!found.owner().equals(owner(OwnDirectory.effectiveUid()))) {
      problem =
          String.format(
              "it belongs to another user (%s): remove it, or choose another -o",
              OwnDirectory.userName(found.owner()));
    }
    if (problem != null) {
      throw new FileSystemException(name.toString(), null, problem);
    }
    return found;
  }

  /** The owner of files that a user creates. */
  public static UserPrincipal owner(int uid) throws IOException {
    // As a signed number: the JDK finds no ids above 2³¹.
    return TOP.getFileSystem()
        .getUserPrincipalLookupService()
        .lookupPrincipalByName(Integer.toString(uid));
  }
}
