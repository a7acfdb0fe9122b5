package stackweave.agent.cli.process;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import stackweave.linux.Descriptor;
import stackweave.linux.FileFacts;
import stackweave.linux.PathWalk;

/**
 * A file system as one user sees it: below a root directory, accessed with that user's rights. All
 * methods but {@link #act} and {@link #close} must be called inside {@link #act}.
 *
 * @param root the root directory of the user's processes; closed with this
 * @param uid the user
 * @param rights the user's rights
 */
public record UserFiles(Descriptor root, int uid, UserRights rights) implements AutoCloseable {
  /** Permissions of new files: for the user only. */
  public static final FileAttribute<?> OF_OWNER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private static final FileAttribute<?> DIRECTORY_OF_OWNER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final int ROOT = 0;

  /** Runs an action with the user's rights and waits for it. */
  public <T> T act(Callable<T> action) throws IOException {
    return rights.run(action);
  }

  /**
   * Opens a directory that only the user, root and the owner of the root directory could replace:
   * each component belongs to one of these and is not writable by others, unless sticky.
   *
   * @param path absolute; symbolic links in it are followed if one of these owns them
   * @throws IOException if a component is not trusted
   */
  public Descriptor trusted(String path) throws IOException {
    int top = root.facts().uid();
    Path end =
        PathWalk.follow(
            root.path(),
            Path.of(path),
            (part, facts) -> {
              mustBeTrusted(part, facts, top);
              return true;
            });
    return root.findWithoutLinks(end.toString());
  }

  private void mustBeTrusted(Path path, FileFacts facts, int top) throws IOException {
    if (!facts.isDirectory() && !facts.isLink()) {
      throw new IOException(path + " is no directory");
    }
    if (facts.uid() != uid && facts.uid() != ROOT && facts.uid() != top) {
      throw new IOException(path + anothers(facts));
    }
    if (facts.isDirectory() && facts.isShared() && !facts.isSticky()) {
      throw new IOException(path + " can be written by others");
    }
  }

  /**
   * Opens a directory that belongs to the user and is not writable by others.
   *
   * @param in its parent directory
   * @throws IOException if it is anything else
   */
  public Descriptor own(Descriptor in, String name) throws IOException {
    Descriptor directory = in.look(name);
    FileFacts facts = directory.facts();
    String problem =
        !facts.isDirectory()
            ? " is no directory"
            : facts.uid() != uid
                ? anothers(facts)
                : facts.isShared() ? " can be written by others" : null;
    if (problem != null) {
      directory.close();
      throw new IOException(name + problem);
    }
    return directory;
  }

  /** Creates a directory that only the user can access, if the name is free. */
  public static void makeDirectory(Descriptor in, String name) throws IOException {
    try {
      Files.createDirectory(in.path().resolve(name), DIRECTORY_OF_OWNER);
    } catch (FileAlreadyExistsException e) {
      return; // an existing file of the name is checked when it is opened
    }
  }

  private static String anothers(FileFacts facts) {
    return " belongs to another user (uid " + Integer.toUnsignedString(facts.uid()) + ")";
  }

  @Override
  public void close() {
    root.close();
  }
}
