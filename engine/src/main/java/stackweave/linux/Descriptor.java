package stackweave.linux;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.io.File;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import stackweave.cpu.FileInterface;
import stackweave.maps.proc.ProcessFiles.OpenFile;

/**
 * An open file, directory or socket of another process. Used by the command line, and for files of
 * a sampled process, for what the JDK has no call for: opening without following links out of a
 * root directory, files without a name, and connecting to a socket whose owner is checked. All else
 * is done with the JDK's own calls on {@link #path} and on single names below it, which resolve no
 * other directory. What is allowed depends only on the calling thread's rights. Failures are {@link
 * FileSystemException}s with the kernel's reason. Not thread-safe, but may be passed between
 * threads.
 */
public final class Descriptor implements OpenFile {
  /** The JDK's property of how names of files and arguments of commands are encoded. */
  public static final String NAME_ENCODING = "sun.jnu.encoding";

  /** asm-generic/fcntl.h; those that differ on AArch64 are in {@code FileInterface}. */
  private static final int O_RDWR = 2;

  private static final int O_PATH = 010000000;

  private static final int O_DIRECTORY =
      SystemCalls.number(FileInterface.X86_64_O_DIRECTORY, FileInterface.AARCH64_O_DIRECTORY);
  private static final int O_NOFOLLOW =
      SystemCalls.number(FileInterface.X86_64_O_NOFOLLOW, FileInterface.AARCH64_O_NOFOLLOW);
  private static final int O_TMPFILE = 020000000 | O_DIRECTORY;

  /** linux/fcntl.h. */
  private static final int AT_SYMLINK_FOLLOW = 0x400;

  private static final int OWNER_ONLY = 0600;

  /** linux/limits.h. */
  private static final int PATH_MAX = 4096;

  /** struct open_how: flags, mode, resolve. */
  private static final int OPEN_HOW = 3 * Long.BYTES;

  /** linux/openat2.h. */
  private static final int RESOLVE_NO_MAGICLINKS = 0x02;

  private static final int RESOLVE_NO_SYMLINKS = 0x04;
  private static final int RESOLVE_IN_ROOT = 0x10;

  /** asm-generic/unistd.h; the same on every architecture from Linux 5.1 on. */
  private static final int PIDFD_SEND_SIGNAL = 424;

  private static final int OPENAT2 = 437;
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOL_SOCKET = 1;
  private static final int SO_PEERCRED = 17;
  private static final int SO_RCVTIMEO = 20;
  private static final int SO_SNDTIMEO = 21;

  static {
    try (NativeLibrary process = NativeLibrary.getProcess()) {
      Native.register(Descriptor.class, process);
    }
  }

  private final int fd;
  private final String name;
  private boolean closed;

  private Descriptor(int fd, String name) {
    this.fd = fd;
    this.name = name;
  }

  /** Opens a directory of this process's file system; symbolic links are followed. */
  public static Descriptor directory(String path) throws IOException {
    return open(Libc.AT_FDCWD, path, Libc.O_RDONLY | O_DIRECTORY, path);
  }

  /** Opens a regular file of this process's file system for reading. */
  public static Descriptor file(Path path) throws IOException {
    return open(Libc.AT_FDCWD, path.toAbsolutePath().toString(), Libc.O_RDONLY, path.toString());
  }

  /**
   * Opens with O_PATH what a path leads to, links followed. No device or FIFO is opened by that.
   */
  public static Descriptor target(Path path) throws IOException {
    return open(Libc.AT_FDCWD, path.toString(), O_PATH, path.toString());
  }

  /**
   * Creates a regular file without a name that only its owner may access, open for reading and
   * writing. It is gone when it is closed, unless it was given a name by {@link #link}.
   *
   * @param directory has the file system for it
   * @throws FileSystemException also if that has no files without a name
   */
  public static Descriptor unnamed(Path directory) throws IOException {
    String path = directory.toAbsolutePath().toString();
    int flags = O_TMPFILE | O_RDWR | Libc.O_CLOEXEC;
    try (NativeBuffer bytes = bytes(path)) {
      return opened(Libc.openat(Libc.AT_FDCWD, bytes.address(), flags, OWNER_ONLY), path);
    }
  }

  /**
   * Gives a file of {@link #unnamed} a name in its file system. It is not copied, and needs no
   * room.
   *
   * @throws FileSystemException also if something has that name, or the file had one that was
   *     deleted
   */
  public void link(Path newName) throws IOException {
    String name = newName.toAbsolutePath().toString();
    try (NativeBuffer from = bytes(path().toString());
        NativeBuffer to = bytes(name)) {
      if (linkat(Libc.AT_FDCWD, from.address(), Libc.AT_FDCWD, to.address(), AT_SYMLINK_FOLLOW)
          != 0) {
        throw failure(name);
      }
    }
  }

  /** Opens the target of a magic link to a directory in /proc (root, cwd) with O_PATH. */
  public Descriptor followMagicLink(String link) throws IOException {
    return open(fd, link, O_PATH | O_DIRECTORY, name + "/" + link);
  }

  /**
   * Opens with O_PATH what an absolute path names for a process with this directory as its root:
   * symbolic links can't lead above it, and magic links are refused. No device or FIFO is opened by
   * that. Before Linux 5.6 a path with any symbolic link is refused.
   */
  public Descriptor find(String path) throws IOException {
    return inRoot(path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
  }

  /** As {@link #find}, and refuses a path with any symbolic link. */
  public Descriptor findWithoutLinks(String path) throws IOException {
    return inRoot(path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS);
  }

  private Descriptor inRoot(String path, int resolve) throws IOException {
    int flags = O_PATH | Libc.O_CLOEXEC;
    try (NativeBuffer how = NativeBuffer.allocate(OPEN_HOW);
        NativeBuffer bytes = bytes(path)) {
      how.bytes().putLong(0, flags).putLong(2 * Long.BYTES, resolve);
      long opened = Libc.syscall(OPENAT2, fd, bytes.address(), how.address(), OPEN_HOW, 0, 0);
      if (opened >= 0) {
        return new Descriptor((int) opened, path);
      }
      // EPERM: a seccomp filter that does not know the call; if it is the file's, walk meets it,
      // too.
      if (Libc.errno() != Errno.ENOSYS && Libc.errno() != Errno.EPERM) {
        throw failure(path);
      }
    }
    return walk(path);
  }

  /** As {@link #findWithoutLinks}, name by name, for kernels before openat2. */
  Descriptor walk(String path) throws IOException {
    Descriptor at = open(fd, ".", O_PATH | O_NOFOLLOW | O_DIRECTORY, path);
    String[] names = path.split("/+");
    try {
      for (int i = 0; i < names.length; i++) {
        if (names[i].isEmpty() || names[i].equals(".")) {
          continue;
        }
        if (names[i].equals("..")) {
          throw new FileSystemException(path, null, "a path with .. needs Linux 5.6");
        }
        int kind = i < names.length - 1 ? O_DIRECTORY : 0;
        Descriptor next = open(at.fd, names[i], O_PATH | O_NOFOLLOW | kind, path);
        at.close();
        at = next;
      }
      if (at.facts().isLink()) {
        throw new FileSystemException(path, null, "a path with a link needs Linux 5.6");
      }
      return at;
    } catch (IOException e) {
      at.close();
      throw e;
    }
  }

  /** Opens an entry of this directory with O_PATH; a symbolic link is not followed. */
  public Descriptor look(String file) throws IOException {
    return open(fd, file, O_PATH | O_NOFOLLOW, file);
  }

  /**
   * Opens a regular file that was opened with O_PATH for reading: the same file, which can then be
   * read whatever becomes of its name and its file system.
   */
  public Descriptor readable() throws IOException {
    return open(Libc.AT_FDCWD, path().toString(), Libc.O_RDONLY | Libc.O_NONBLOCK, name);
  }

  /** Its present attributes. */
  public FileFacts facts() throws IOException {
    return FileFacts.of(path());
  }

  /**
   * Connects a stream to this socket, whatever its name is now.
   *
   * @param seconds how long to connect and to write may each take
   * @param readSeconds how long {@link #read} waits
   */
  public Descriptor connect(int seconds, int readSeconds) throws IOException {
    Descriptor stream = opened(socket(AF_UNIX, SOCK_STREAM | Libc.O_CLOEXEC, 0), name);
    byte[] path = path().toString().getBytes(StandardCharsets.US_ASCII);
    int length = Short.BYTES + path.length + 1;
    try (NativeBuffer limit = NativeBuffer.allocate(2 * Long.BYTES);
        NativeBuffer address = NativeBuffer.allocate(length)) {
      limit.bytes().putLong(0, seconds);
      address.bytes().putShort(0, (short) AF_UNIX).put(Short.BYTES, path);
      int bytes = 2 * Long.BYTES;
      boolean isConnected =
          setsockopt(stream.fd, SOL_SOCKET, SO_SNDTIMEO, limit.address(), bytes) == 0
              && isConnected(stream.fd, address, length);
      limit.bytes().putLong(0, readSeconds);
      if (!isConnected
          || setsockopt(stream.fd, SOL_SOCKET, SO_RCVTIMEO, limit.address(), bytes) != 0) {
        FileSystemException failure = failure(name);
        stream.close();
        throw failure;
      }
      return stream;
    }
  }

  private static boolean isConnected(int stream, NativeBuffer address, int length) {
    while (connect(stream, address.address(), length) != 0) {
      if (Libc.errno() != Errno.EINTR) {
        return false;
      }
    }
    return true;
  }

  /** The listening process of a connected stream, and its user. */
  public Peer peer() throws IOException {
    try (NativeBuffer result = NativeBuffer.allocate(4 * Integer.BYTES)) {
      ByteBuffer bytes = result.bytes();
      bytes.putInt(3 * Integer.BYTES, 3 * Integer.BYTES);
      if (getsockopt(
              fd, SOL_SOCKET, SO_PEERCRED, result.address(), result.address() + 3 * Integer.BYTES)
          != 0) {
        throw failure(name);
      }
      return new Peer(bytes.getInt(0), bytes.getInt(Integer.BYTES));
    }
  }

  /**
   * The process at the other end of a stream.
   *
   * @param pid as this process sees it; 0 if it is not visible
   * @param uid its effective user id as this process sees it
   */
  public record Peer(int pid, int uid) {}

  /** Writes the first {@code length} bytes of {@code buffer} to a stream. */
  public void write(NativeBuffer buffer, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int count = (int) Libc.write(fd, buffer.address() + done, length - done);
      if (count < 0 && Libc.errno() != Errno.EINTR) {
        throw failure(name);
      }
      done += Math.max(0, count);
    }
  }

  /**
   * Reads what has arrived on a stream, waiting for its first byte.
   *
   * @return how many bytes; 0 at its end
   * @throws SocketTimeoutException if nothing arrives in time; it may be read again
   */
  public int read(NativeBuffer buffer) throws IOException {
    while (true) {
      int length = (int) Libc.read(fd, buffer.address(), buffer.bytes().capacity());
      if (length >= 0) {
        return length;
      }
      if (Libc.errno() == Errno.EAGAIN) {
        throw new SocketTimeoutException(name + ": no answer in time");
      }
      if (Libc.errno() != Errno.EINTR) {
        throw failure(name);
      }
    }
  }

  /**
   * Sends a signal to the process whose /proc directory this is, never to another that has reused
   * its id. Before Linux 5.1 that is only checked just before.
   *
   * @param pid its id
   */
  public void signal(int pid, int signal) throws IOException {
    if (Libc.syscall(PIDFD_SEND_SIGNAL, fd, signal, 0, 0, 0, 0) == 0) {
      return;
    }
    if (Libc.errno() != Errno.ENOSYS) {
      throw failure(name);
    }
    look("status").close();
    if (kill(pid, signal) != 0) {
      throw failure(name);
    }
  }

  /**
   * How many bytes the calling thread's user may still write in its file system; {@link
   * Long#MAX_VALUE} if the file system doesn't say.
   */
  public long room() {
    // Not FileStore, which fails where the mount is not one of this process's own.
    File file = path().toFile();
    return file.getTotalSpace() == 0 ? Long.MAX_VALUE : file.getUsableSpace();
  }

  /** A path that is this file itself, for this process only, until it is closed. */
  @Override
  public Path path() {
    return Path.of("/proc/self/fd/" + fd);
  }

  private static Descriptor open(int directory, String path, int flags, String name)
      throws IOException {
    try (NativeBuffer bytes = bytes(path)) {
      return opened(Libc.openat(directory, bytes.address(), flags | Libc.O_CLOEXEC, 0), name);
    }
  }

  // Functions of libc, as in Libc: primitives only, -1 and its errno on failure.
  private static native int socket(int domain, int type, int protocol);

  private static native int connect(int socket, long address, int length);

  private static native int getsockopt(int socket, int level, int option, long value, long length);

  private static native int setsockopt(int socket, int level, int option, long value, int length);

  private static native int kill(int pid, int signal);

  private static native int linkat(
      int fromDirectory, long from, int toDirectory, long to, int flags);

  private static Descriptor opened(int fd, String name) throws FileSystemException {
    if (fd < 0) {
      throw failure(name);
    }
    return new Descriptor(fd, name);
  }

  private static NativeBuffer bytes(String path) throws IOException {
    // As the JDK's own file system encodes names.
    byte[] bytes = path.getBytes(Charset.forName(System.getProperty(NAME_ENCODING, "UTF-8")));
    if (bytes.length >= PATH_MAX || path.indexOf('\0') >= 0) {
      throw new FileSystemException(path, null, "no name for a file");
    }
    NativeBuffer buffer = NativeBuffer.allocate(bytes.length + 1);
    buffer.bytes().put(0, bytes);
    return buffer;
  }

  private static FileSystemException failure(String file) {
    int errno = Libc.errno();
    return switch (errno) {
      case Errno.ENOENT -> new NoSuchFileException(file);
      case Errno.EACCES, Errno.EPERM -> new AccessDeniedException(file);
      case Errno.ELOOP -> new FileSystemException(file, null, "is a link");
      case Errno.ENOTDIR -> new FileSystemException(file, null, "is no directory");
      case Errno.ECONNREFUSED -> new FileSystemException(file, null, "nobody listens");
      case Errno.EAGAIN -> new FileSystemException(file, null, "too many are waiting there");
      default -> new FileSystemException(file, null, Errno.name(errno));
    };
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      Libc.close(fd);
    }
  }
}
