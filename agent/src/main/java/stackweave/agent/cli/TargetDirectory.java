package stackweave.agent.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.Set;

/**
 * A directory of the target's user in the target's temporary directory, for files that it and we
 * exchange: the agent jar where the target can't see ours, and recordings.
 *
 * <p>The target may live in a container that doesn't trust us, nor we it: all is opened relative to
 * directories already open (openat), nothing through a link. The directory is left behind, empty:
 * the JVM keeps the jar's path on its class path, where nobody else may ever put a file.
 */
final class TargetDirectory implements AutoCloseable {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE_OF_OWNER =
      PosixFilePermissions.fromString("rw-------");

  private final TargetProcess target;
  private final Path seen;
  private final SecureDirectoryStream<Path> stream;

  private TargetDirectory(TargetProcess target, Path seen, SecureDirectoryStream<Path> stream) {
    this.target = target;
    this.seen = seen;
    this.stream = stream;
  }

  /**
   * Opens it, and makes it if need be.
   *
   * @param temporary the target's temporary directories in its own sight, tried in turn
   * @throws FailedException if there is none that it could be made in
   */
  static TargetDirectory open(TargetProcess target, List<Path> temporary) throws FailedException {
    String why = "";
    for (Path parent : temporary) {
      try {
        return open(target, parent);
      } catch (IOException e) {
        why += "; " + parent + ": " + FailedException.reason(e);
      }
    }
    throw new FailedException(
        "process " + target.pid() + " has no directory to exchange files in" + why);
  }

  private static TargetDirectory open(TargetProcess target, Path parent) throws IOException {
    Path name = Path.of(".stackweave-" + target.uid());
    try (SecureDirectoryStream<Path> in =
        secure(Files.newDirectoryStream(target.inItsSight(parent)))) {
      boolean made = make(target.inItsSight(parent).resolve(name));
      SecureDirectoryStream<Path> stream = in.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
      TargetDirectory directory = new TargetDirectory(target, parent.resolve(name), stream);
      PosixFileAttributeView view = stream.getFileAttributeView(PosixFileAttributeView.class);
      if (made) {
        directory.give(view);
      }
      PosixFileAttributes attributes = view.readAttributes();
      if (!attributes.owner().equals(directory.owner())
          || !attributes.permissions().equals(OWNER_ONLY)) {
        stream.close();
        throw new IOException(name + " there is not its user's alone");
      }
      return directory;
    }
  }

  private static boolean make(Path path) throws IOException {
    try {
      Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream)
      throws IOException {
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    stream.close();
    throw new IOException("this file system can't be used safely");
  }

  private UserPrincipal owner() throws IOException {
    return seen.getFileSystem()
        .getUserPrincipalLookupService()
        .lookupPrincipalByName(Integer.toString(target.uid()));
  }

  private void give(PosixFileAttributeView view) throws IOException {
    view.setOwner(owner());
    view.setGroup(
        seen.getFileSystem()
            .getUserPrincipalLookupService()
            .lookupPrincipalByGroupName(Integer.toString(target.gid())));
  }

  /** The absolute name of a file of this directory in the target's sight. */
  Path seen(String name) {
    return seen.resolve(name);
  }

  /** Copies a file there, readable by the target's user alone; replaces what has this name. */
  void put(Path file, String name) throws IOException {
    remove(name);
    Path path = Path.of(name);
    FileAttribute<?> mode = PosixFilePermissions.asFileAttribute(FILE_OF_OWNER);
    try (InputStream in = Files.newInputStream(file);
        SeekableByteChannel channel =
            stream.newByteChannel(
                path,
                Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS),
                mode);
        OutputStream out = Channels.newOutputStream(channel)) {
      in.transferTo(out);
    }
    give(
        stream.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS));
  }

  /** Copies a file from there. */
  void fetch(String name, Path file) throws IOException {
    try (SeekableByteChannel channel =
            stream.newByteChannel(
                Path.of(name), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        InputStream in = Channels.newInputStream(channel)) {
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Removes a file from there, if it is there. */
  void remove(String name) {
    try {
      stream.deleteFile(Path.of(name));
    } catch (IOException e) {
      // It wasn't there, or the process and its file system are gone.
      return;
    }
  }

  @Override
  public void close() {
    try {
      stream.close();
    } catch (IOException e) {
      // Of a directory that was only read.
      return;
    }
  }
}
