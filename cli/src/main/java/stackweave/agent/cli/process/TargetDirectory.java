package stackweave.agent.cli.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.cli.common.FailedException;
import stackweave.linux.Descriptor;
import stackweave.linux.FileFacts;
import stackweave.linux.Randomness;

/**
 * A directory of the target's user below the target's temporary directory, for exchanging files:
 * the agent jar where the target can't see the command's own, and recordings. Used by {@link
 * TargetJvm} and {@code record}.
 *
 * <p>All access is with the rights of the target's user and relative to open directories; no file's
 * owner is changed. The empty directory stays, because the JVM keeps the jar's path on its class
 * path, so that no other user may ever create a file there.
 */
public final class TargetDirectory implements AutoCloseable {
  private static final int OWNER_ONLY = 0700;
  private static final int ACCESS = 0777;

  /** The temporary file names that {@link #fileName} makes; group 1 is the expiry time in s. */
  private static final Pattern TEMPORARY =
      Pattern.compile("(?:rec|stackweave-agent)-(\\d{10})-[0-9a-f]{1,16}\\.(?:jfr|jar)");

  private static final Pattern RECORDING = Pattern.compile("[\\w-]+\\.jfr");

  /** Most entries that are read of a directory, since the target controls its content. */
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
      UserFiles.makeDirectory(in, name);
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

  /** A path for this process; to be used with the user's rights, without following links. */
  private Path file(String name) {
    return directory.path().resolve(name);
  }

  /** Names of matching files here, among at most {@link #MAX_NAMES} entries. */
  private Set<String> names(Pattern wanted) throws IOException {
    try (Stream<Path> files = Files.list(directory.path())) {
      return files
          .limit(MAX_NAMES)
          .map(file -> file.getFileName().toString())
          .filter(wanted.asMatchPredicate())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Names of the recordings here. */
  public Set<String> recordings() throws IOException {
    return target.act(() -> names(RECORDING));
  }

  /** Total bytes of the recordings here, except some. */
  public long bytes(Set<String> without) throws IOException {
    return target.act(
        () -> {
          long bytes = 0;
          for (String name : names(RECORDING)) {
            if (!without.contains(name)) {
              bytes += size(file(name));
            }
          }
          return bytes;
        });
  }

  private static long size(Path file) throws IOException {
    try {
      return FileFacts.of(file, LinkOption.NOFOLLOW_LINKS).size();
    } catch (NoSuchFileException e) {
      return 0; // the target has removed it
    }
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
              Files.newByteChannel(file(name), isNew, UserFiles.OF_OWNER)) {
            for (ByteBuffer left = ByteBuffer.wrap(content); left.hasRemaining(); ) {
              out.write(left);
            }
          }
          return null;
        });
  }

  /**
   * Opens a file that the target wrote.
   *
   * @throws IOException as {@link TargetFile#open}
   */
  public TargetFile fetch(String name) throws IOException {
    return target.act(() -> TargetFile.open(target, directory, name, seen(name)));
  }

  /** How many bytes its user may still write here. */
  public long room() throws IOException {
    return target.act(directory::room);
  }

  /** Whether this directory and another are on the same disk. */
  public boolean isOnSameDiskAs(TargetDirectory other) throws IOException {
    return target.act(() -> directory.facts().device() == other.directory.facts().device());
  }

  /** Removes a file if it exists; failures are ignored. */
  public void remove(String name) {
    try {
      target.act(() -> Files.deleteIfExists(file(name)));
    } catch (IOException e) {
      return; // the process has ended, and its file system is gone
    }
  }

  @Override
  public void close() {
    directory.close();
  }
}
