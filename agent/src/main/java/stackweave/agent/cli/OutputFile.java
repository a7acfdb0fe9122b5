package stackweave.agent.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
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
import java.util.Set;
import stackweave.agent.linux.OwnDirectory;

/**
 * A file that a command leaves behind. It is written under a name of its own beside its
 * destination, and then renamed: so nothing is written through what somebody else put there, and
 * what was there before stays until the new one is whole. The only thing that is replaced is a
 * regular file of the caller's.
 */
final class OutputFile {

  /** Writes the file's bytes. */
  interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<StandardOpenOption> EXCLUSIVE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  private OutputFile() {}

  /** Looks whether a file could be written, before there is anything to write. */
  static void mustBeWritable(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null || !Files.isDirectory(parent) || !Files.isWritable(parent)) {
      throw new FileSystemException(file.toString(), null, "no directory of that name to write in");
    }
    try (SecureDirectoryStream<Path> directory = open(parent)) {
      replaced(directory, file.getFileName());
    }
  }

  /** Writes a file that only its owner may read. */
  static void writePrivate(Path file, Content content) throws IOException {
    write(file, true, content);
  }

  /** Writes a file with the usual permissions, or with those of the one that it replaces. */
  static void write(Path file, Content content) throws IOException {
    write(file, false, content);
  }

  private static void write(Path file, boolean ownerOnly, Content content) throws IOException {
    Path absolute = file.toAbsolutePath();
    if (absolute.getParent() == null) {
      throw new FileSystemException(file.toString(), null, "Is a directory");
    }
    try (SecureDirectoryStream<Path> directory = open(absolute.getParent())) {
      Path name = absolute.getFileName();
      PosixFileAttributes before = replaced(directory, name);
      Path unfinished = Path.of(".stackweave-" + Long.toHexString(System.nanoTime()) + ".part");
      FileAttribute<?>[] permissions =
          ownerOnly
              ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
              : before != null
                  ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(before.permissions())
                  }
                  : new FileAttribute<?>[0];
      boolean renamed = false;
      try (SeekableByteChannel channel =
          directory.newByteChannel(unfinished, EXCLUSIVE, permissions)) {
        try (OutputStream out = Channels.newOutputStream(channel)) {
          content.writeTo(out);
        }
        replaced(directory, name);
        directory.move(unfinished, directory, name);
        renamed = true;
      } finally {
        if (!renamed) {
          directory.deleteFile(unfinished);
        }
      }
    }
  }

  private static SecureDirectoryStream<Path> open(Path directory) throws IOException {
    DirectoryStream<Path> stream = Files.newDirectoryStream(directory);
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    stream.close();
    throw new FileSystemException(
        directory.toString(), null, "this file system can't be used safely");
  }

  /** What a renaming would replace; null for nothing. */
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
              + attributes.owner().getName()
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

  private static Object owner() throws IOException {
    return Path.of("/")
        .getFileSystem()
        .getUserPrincipalLookupService()
        .lookupPrincipalByName(Integer.toUnsignedString(OwnDirectory.effectiveUid()));
  }
}
