package stackweave.agent.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.util.List;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.FileFacts;
import stackweave.agent.linux.NativeBuffer;

/**
 * A directory of the target's user in the target's temporary directory, for files that it and we
 * exchange: the agent jar where the target can't see ours, and recordings.
 *
 * <p>All is done with the rights of the target's user and relative to directories already open; no
 * owner is ever changed. The directory is left behind, empty: the JVM keeps the jar's path on its
 * class path, where nobody else may ever put a file.
 */
final class TargetDirectory implements AutoCloseable {
  private static final int OWNER_ONLY = 0700;
  private static final int ACCESS = 0777;
  private static final int FILE_OF_OWNER = 0600;
  private static final int BUFFER = 1 << 18;

  private final TargetProcess target;
  private final String seen;
  private final Descriptor directory;

  private TargetDirectory(TargetProcess target, String seen, Descriptor directory) {
    this.target = target;
    this.seen = seen;
    this.directory = directory;
  }

  /**
   * Opens it, and makes it if need be.
   *
   * @param temporary the target's temporary directories in its own sight, tried in turn
   * @throws FailedException if there is none that it could be made in
   */
  static TargetDirectory open(TargetProcess target, List<String> temporary) throws FailedException {
    String name = SwitchPlaces.TMP_DIRECTORY + Integer.toUnsignedString(target.uidThere());
    String why = "";
    for (String parent : temporary) {
      try {
        return target.act(() -> open(target, parent, name));
      } catch (IOException e) {
        why += "; " + parent + ": " + FailedException.reason(e);
      }
    }
    throw new FailedException(
        "process " + target.pid() + " has no directory to exchange files in" + why);
  }

  private static TargetDirectory open(TargetProcess target, String parent, String name)
      throws IOException {
    try (Descriptor in = target.files().trusted(parent)) {
      in.makeDirectory(name, OWNER_ONLY);
      Descriptor directory = target.files().own(in, name);
      if ((directory.facts().permissions() & ACCESS) != OWNER_ONLY) {
        directory.close();
        throw new IOException(name + " there is not its user's alone");
      }
      return new TargetDirectory(target, parent + "/" + name, directory);
    }
  }

  /** The absolute name of a file of this directory in the target's sight. */
  String seen(String name) {
    return seen + "/" + name;
  }

  /** Puts a file there, readable by the target's user alone; replaces what has this name. */
  void put(byte[] content, String name) throws IOException {
    target.act(
        () -> {
          directory.remove(name);
          try (Descriptor file = directory.create(name, FILE_OF_OWNER);
              NativeBuffer buffer = NativeBuffer.allocate(BUFFER)) {
            for (int at = 0; at < content.length; at += BUFFER) {
              int length = Math.min(BUFFER, content.length - at);
              buffer.bytes().put(0, content, at, length);
              file.write(buffer, length);
            }
          }
          return null;
        });
  }

  /**
   * Opens a file that the target left there, to be read by {@link #copy}.
   *
   * @throws FileSystemException if it is anything but a file of the target's user with this one
   *     name: a link, a FIFO, a device, another's file mounted there
   */
  Descriptor fetch(String name) throws IOException {
    return target.act(
        () -> {
          try (Descriptor found = directory.look(name)) {
            mustBeItsOwn(found.facts(), name);
            Descriptor file = found.readable();
            mustBeItsOwn(file.facts(), name);
            return file;
          }
        });
  }

  private void mustBeItsOwn(FileFacts facts, String name) throws IOException {
    String problem =
        !facts.isRegular()
            ? "is no regular file"
            : facts.uid() != target.uid()
                ? "belongs to another user"
                : facts.links() != 1 ? "has a second name" : null;
    if (problem != null) {
      throw new FileSystemException(seen(name), null, "the file " + seen(name) + " " + problem);
    }
  }

  /** How long a fetched file is now, in bytes. */
  long size(Descriptor file) throws IOException {
    return target.act(file::facts).size();
  }

  /** Copies what a fetched file holds now; what is written to it from then on is not waited for. */
  void copy(Descriptor file, OutputStream out) throws IOException {
    long size = size(file);
    byte[] bytes = new byte[BUFFER];
    try (NativeBuffer buffer = NativeBuffer.allocate(BUFFER)) {
      for (long at = 0; at < size; ) {
        long offset = at;
        int length = (int) Math.min(target.act(() -> file.read(buffer, offset)), size - at);
        if (length == 0) {
          throw new IOException("the recording became shorter while it was read");
        }
        buffer.bytes().get(0, bytes, 0, length);
        out.write(bytes, 0, length);
        at += length;
      }
    }
  }

  /** Removes a file from there, if it is there. */
  void remove(String name) {
    try {
      target.act(
          () -> {
            directory.remove(name);
            return null;
          });
    } catch (IOException e) {
      // The process and its file system are gone.
      return;
    }
  }

  @Override
  public void close() {
    directory.close();
  }
}
