package stackweave.agent.cli.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.FileFacts;
import stackweave.agent.linux.Randomness;

/**
 * A directory of the target's user below the target's temporary directory, for exchanging files:
 * the agent jar where the target can't see the command's own, and recordings. Used by {@link
 * TargetJvm} and {@code record}.
 *
 * <p>Everything is done with the rights of the target's user and relative to open directories; no
 * owner is ever changed. The empty directory stays: the JVM keeps the jar's path on its class path,
 * so nobody else may ever create a file there.
 */
public final class TargetDirectory implements AutoCloseable {
  private static final int OWNER_ONLY = 0700;
  private static final int ACCESS = 0777;
  private static final int BUFFER = 1 << 18;

  /** Time limit of {@link #copy}: this long, plus {@link #SLOWEST_NANOS_PER_BYTE} for each byte. */
  private static final long SLOW_NANOS = 60_000_000_000L;

  private static final long SLOWEST_NANOS_PER_BYTE = 1_000;

  /** The temporary file names that {@link #fileName} makes; group 1 is the expiry time in s. */
  private static final Pattern TEMPORARY =
      Pattern.compile("(?:rec|stackweave-agent)-(\\d{10})-[0-9a-f]{1,16}\\.(?:jfr|jar)");

  private static final Pattern RECORDING = Pattern.compile("[\\w-]+\\.jfr");

  /** Entries read of a directory whose content the target controls. */
  private static final int MAX_NAMES = 10_000;

  private final TargetProcess target;
  private final String seen;
  private final Descriptor directory;

  private TargetDirectory(TargetProcess target, String seen, Descriptor directory) {
    this.target = target;
    this.seen = seen;
    this.directory = directory;
  }

  /**
   * Opens the directory, creating it if needed.
   *
   * @param temporary the target's temporary directories as the target sees them, tried in turn
   * @throws FailedException if it can be created in none of them
   */
  static TargetDirectory open(TargetProcess target, Collection<String> temporary)
      throws FailedException {
    String name = SwitchPlaces.TMP_DIRECTORY + Integer.toUnsignedString(target.uidThere());
    StringBuilder why = new StringBuilder();
    for (String parent : temporary) {
      try {
        return target.act(() -> open(target, parent, name));
      } catch (IOException e) {
        why.append("; ").append(parent).append(": ").append(FailedException.reason(e));
      }
    }
    throw new FailedException(
        "process " + target.pid() + " has no directory to exchange files in" + why);
  }

  private static TargetDirectory open(TargetProcess target, String parent, String name)
      throws IOException {
    try (Descriptor in = target.files().trusted(parent)) {
      make(in, name);
      Descriptor directory = target.files().own(in, name);
      if ((directory.facts().permissions() & ACCESS) != OWNER_ONLY) {
        directory.close();
        throw new IOException(name + " there is not its user's alone");
      }
      TargetDirectory exchange = new TargetDirectory(target, parent + "/" + name, directory);
      exchange.removeOverdue();
      return exchange;
    }
  }

  /** Creates a directory for its owner alone, if the name is free; call with the user's rights. */
  public static void make(Descriptor in, String name) throws IOException {
    try {
      Files.createDirectory(in.path().resolve(name), permissions("rwx------"));
    } catch (FileAlreadyExistsException e) {
      return; // be it no directory: who uses it looks
    }
  }

  /** For the creation of a file or directory. */
  public static FileAttribute<?> permissions(String text) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
  }

  /** Opens a directory that the target made, for reading; call inside {@link TargetProcess#act}. */
  public static TargetDirectory ofTarget(TargetProcess target, String path) throws IOException {
    Descriptor directory = target.files().root().find(path);
    if (!directory.facts().isDirectory() || directory.facts().uid() != target.uid()) {
      directory.close();
      throw new FileSystemException(path, null, "is no directory of its user's");
    }
    return new TargetDirectory(target, path, directory);
  }

  /**
   * A unique name for a temporary file. If the command dies and leaves the file, a later command
   * removes it after {@code millis}.
   */
  public static String fileName(String what, long millis, String ending) {
    long until = (System.currentTimeMillis() + millis) / 1_000;
    return what + "-" + until + "-" + Long.toHexString(Randomness.next()) + ending;
  }

  private void removeOverdue() throws IOException {
    long now = System.currentTimeMillis() / 1_000;
    for (String name : names(TEMPORARY)) {
      Matcher matcher = TEMPORARY.matcher(name);
      if (matcher.matches() && Long.parseLong(matcher.group(1)) < now) {
        Files.deleteIfExists(file(name));
      }
    }
  }

  /** A path for this process; to be used with the user's rights, and without following links. */
  private Path file(String name) {
    return directory.path().resolve(name);
  }

  /** Names of matching files here, among at most {@link #MAX_NAMES} entries. */
  private Set<String> names(Pattern wanted) throws IOException {
    Set<String> names = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory.path())) {
      int looked = 0;
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (wanted.matcher(name).matches()) {
          names.add(name);
        }
        if (++looked == MAX_NAMES) {
          break;
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return names;
  }

  /** Names of the recordings here. */
  public Set<String> recordings() throws IOException {
    return target.act(() -> names(RECORDING));
  }

  /** The directory's absolute path as the target sees it. */
  public String seen() {
    return seen;
  }

  /** The absolute path of a file here as the target sees it. */
  public String seen(String name) {
    return seen + "/" + name;
  }

  /** Creates a file that only the target's user may read. */
  void put(byte[] content, String name) throws IOException {
    Set<StandardOpenOption> isNew = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    target.act(
        () -> {
          try (SeekableByteChannel out =
              Files.newByteChannel(file(name), isNew, permissions("rw-------"))) {
            for (ByteBuffer left = ByteBuffer.wrap(content); left.hasRemaining(); ) {
              out.write(left);
            }
          }
          return null;
        });
  }

  /**
   * Opens a file that the target wrote, to be read by {@link #copy}.
   *
   * @throws FileSystemException if it is not a regular file of the target's user without a second
   *     link: a symbolic link, a FIFO, a device, another user's file mounted there
   */
  public Descriptor fetch(String name) throws IOException {
    return target.act(
        () -> {
          Descriptor file = directory.look(name);
          try {
            mustBeItsOwn(file, seen(name));
            FileChannel.open(file.path()).close();
            return file;
          } catch (IOException e) {
            file.close();
            throw e;
          }
        });
  }

  private void mustBeItsOwn(Descriptor file, String name) throws IOException {
    FileFacts facts = file.facts();
    String problem =
        !facts.isRegular()
            ? "is no regular file"
            : facts.uid() != target.uid()
                ? "belongs to another user"
                : facts.links() > 1 ? "has a second name" : null;
    if (problem != null) {
      throw new FileSystemException(name, null, "the file " + name + " " + problem);
    }
  }

  /** Whether a fetched file is no longer there by its name; it can be read all the same. */
  public boolean isRemoved(Descriptor file, String name) throws IOException {
    return isGone(file, seen(name));
  }

  /** Whether this directory itself is no longer there by its name. */
  public boolean isRemoved() throws IOException {
    return isGone(directory, seen);
  }

  /** What has a name on a file system that is mounted no more is gone, too. */
  private boolean isGone(Descriptor file, String path) throws IOException {
    FileFacts facts = target.act(file::facts);
    if (facts.links() == 0 || !target.isAlive()) {
      return facts.links() == 0; // a process that has ended has no root
    }
    try {
      return target.act(
          () -> {
            try (Descriptor there = target.files().root().find(path)) {
              return !there.facts().isSameFileAs(facts);
            }
          });
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  /** How many bytes its user may still write here. */
  public long room() throws IOException {
    return target.act(directory::room);
  }

  /** Whether what is written here takes the room of another one. */
  public boolean isOnSameDiskAs(TargetDirectory other) throws IOException {
    return target.act(() -> directory.facts().device() == other.directory.facts().device());
  }

  /** The current size of fetched files together, in bytes. */
  public long size(Collection<Descriptor> files) throws IOException {
    return target.act(
        () -> {
          long size = 0;
          for (Descriptor file : files) {
            size += file.facts().size();
          }
          return size;
        });
  }

  /** The current size of a fetched file, in bytes. */
  public long size(Descriptor file) throws IOException {
    return size(List.of(file));
  }

  /** Reads up to {@code length} bytes of a fetched file; fewer at its end. */
  public byte[] head(Descriptor file, long offset, int length) throws IOException {
    // Opened and closed here: to close a channel waits for a thread that reads it, be it for ever.
    return target.act(
        () -> {
          ByteBuffer bytes = ByteBuffer.allocate(length);
          try (FileChannel channel = FileChannel.open(file.path())) {
            while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) > 0) {
              // Until all is read, or the file ends.
            }
          }
          return Arrays.copyOf(bytes.array(), bytes.position());
        });
  }

  /**
   * Copies the bytes from {@code from} to {@code to} of a fetched file, which must still be one
   * that {@link #fetch} accepts: the target was running since.
   *
   * @param name of the file
   * @throws IOException also if the file is shorter, or comes slower than 1 MiB/s
   */
  public void copy(Descriptor file, String name, long from, long to, OutputStream out)
      throws IOException {
    target.act(
        () -> {
          mustBeItsOwn(file, seen(name));
          return null;
        });
    long nanos = 0;
    for (long at = from; at < to; ) {
      long start = System.nanoTime();
      byte[] bytes = head(file, at, (int) Math.min(BUFFER, to - at));
      nanos += System.nanoTime() - start;
      if (nanos - SLOW_NANOS > (at - from) * SLOWEST_NANOS_PER_BYTE) {
        throw new IOException("it comes slower than a MiB a second");
      }
      if (bytes.length == 0) {
        throw new IOException("the recording became shorter while it was read");
      }
      out.write(bytes);
      at += bytes.length;
    }
  }

  /** Removes a file if it exists; failures are ignored. */
  public void remove(String name) {
    try {
      target.act(() -> Files.deleteIfExists(file(name)));
    } catch (IOException e) {
      return; // the process and its file system are gone
    }
  }

  @Override
  public void close() {
    directory.close();
  }
}
