package stackweave.agent.linux;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import stackweave.agent.cpu.x86_64.FileInterface;
import stackweave.agent.cpu.x86_64.SystemCallNumbers;
import stackweave.agent.jdk.JvmProperties;

/**
 * An open file, directory or socket, from which others are opened by relative names, so that no
 * path is resolved twice; what is allowed depends only on the calling thread's rights. Used by the
 * command line for other processes' files. Failures are {@link FileSystemException}s with the
 * kernel's reason. Must be closed. Not thread-safe, but may be passed between threads.
 */
public final class Descriptor implements AutoCloseable {
  private static final int O_WRONLY = 1;
  private static final int PATH_MAX = 4096;

  /** STATX_BASIC_STATS and offsets in struct statx; linux/stat.h. */
  private static final int STATX_BASIC_STATS = 0x7ff;

  private static final int STATX_BYTES = 256;
  private static final int STATX_LINKS = 0x10;
  private static final int STATX_UID = 0x14;
  private static final int STATX_MODE = 0x1c;
  private static final int STATX_INODE = 0x20;
  private static final int STATX_SIZE = 0x28;
  private static final int STATX_DEVICE = 0x88;

  /** PATH_MAX of linux/limits.h. */
  private static final int MAX_PATH = 4096;

  /** struct open_how: flags, mode, resolve. */
  private static final int OPEN_HOW = 3 * Long.BYTES;

  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int SOL_SOCKET = 1;
  private static final int SO_PEERCRED = 17;

  /** How long connecting is tried while the socket's queue is full. */
  private static final long QUEUE_NANOS = 20_000_000_000L;

  private static final long QUEUE_PAUSE_NANOS = 20_000_000L;

  private final int fd;
  private final String name;
  private boolean closed;

  private Descriptor(int fd, String name) {
    this.fd = fd;
    this.name = name;
  }

  /** Opens a directory of this process's file system for reading; symbolic links are followed. */
  public static Descriptor directory(String path) throws IOException {
    return opened(at(FileCalls.AT_FDCWD, path, Libc.O_RDONLY | openFlag(Flag.DIRECTORY), 0), path);
  }

  /**
   * Opens a file or directory of this process's file system with O_PATH, so that it can be
   * inspected only; symbolic links are followed.
   */
  public static Descriptor path(Path path) throws IOException {
    String name = path.toAbsolutePath().toString();
    return opened(at(FileCalls.AT_FDCWD, name, FileCalls.O_PATH, 0), name);
  }

  /** Opens the target of a magic link to a directory in /proc (root, cwd) with O_PATH. */
  public Descriptor followMagicLink(String link) throws IOException {
    return opened(at(fd, link, FileCalls.O_PATH | openFlag(Flag.DIRECTORY), 0), name + "/" + link);
  }

  /**
   * Opens with O_PATH what an absolute path names for a process with this directory as its root:
   * symbolic links can't lead above it, and magic links are refused. No device or FIFO is opened by
   * that. Before Linux 5.6 a path with any symbolic link is refused.
   */
  public Descriptor find(String path) throws IOException {
    return inRoot(path, FileCalls.RESOLVE_IN_ROOT | FileCalls.RESOLVE_NO_MAGICLINKS);
  }

  /** As {@link #find}, and refuses a path with any symbolic link. */
  public Descriptor findWithoutLinks(String path) throws IOException {
    return inRoot(
        path,
        FileCalls.RESOLVE_IN_ROOT
            | FileCalls.RESOLVE_NO_MAGICLINKS
            | FileCalls.RESOLVE_NO_SYMLINKS);
  }

  private Descriptor inRoot(String path, int resolve) throws IOException {
    int flags = FileCalls.O_PATH | Libc.O_CLOEXEC;
    try (NativeBuffer how = NativeBuffer.allocate(OPEN_HOW);
        NativeBuffer bytes = bytes(path)) {
      how.bytes().putLong(0, flags).putLong(2 * Long.BYTES, resolve);
      long opened =
          Libc.syscall(FileCalls.OPENAT2, fd, bytes.address(), how.address(), OPEN_HOW, 0, 0);
      if (opened >= 0) {
        return new Descriptor((int) opened, path);
      }
      // EPERM: a seccomp filter that does not know the call; if it is the file's, walk meets it,
      // too.
      if (Libc.errno() != Errno.ENOSYS && Libc.errno() != Errno.EPERM) {
        throw failure(path, Libc.errno());
      }
    }
    return walk(path);
  }

  /** As {@link #findWithoutLinks}, name by name, for kernels before openat2. */
  Descriptor walk(String path) throws IOException {
    int flags = FileCalls.O_PATH | openFlag(Flag.NOFOLLOW);
    Descriptor at = opened(at(fd, ".", flags | openFlag(Flag.DIRECTORY), 0), path);
    String[] names = path.split("/+");
    try {
      for (int i = 0; i < names.length; i++) {
        if (names[i].isEmpty() || names[i].equals(".")) {
          continue;
        }
        if (names[i].equals("..")) {
          throw new FileSystemException(path, null, "a path with .. needs Linux 5.6");
        }
        int kind = i < names.length - 1 ? openFlag(Flag.DIRECTORY) : 0;
        Descriptor next = opened(at(at.fd, names[i], flags | kind, 0), path);
        at.close();
        at = next;
      }
      if (at.isLink()) {
        throw new FileSystemException(path, null, "a path with a link needs Linux 5.6");
      }
      return at;
    } catch (IOException e) {
      at.close();
      throw e;
    }
  }

  private boolean isLink() throws IOException {
    return (facts().mode() & 0170000) == 0120000;
  }

  /** Opens an entry of this directory with O_PATH; a symbolic link is not followed. */
  public Descriptor look(String file) throws IOException {
    return opened(at(fd, file, FileCalls.O_PATH | openFlag(Flag.NOFOLLOW), 0), file);
  }

  /**
   * Opens a regular file that was opened with O_PATH for reading: the same file, whatever its name
   * is now.
   *
   * @throws FileSystemException if it is no regular file, or this thread may not read it
   */
  public Descriptor readable() throws IOException {
    if (!facts().isRegular()) {
      throw new FileSystemException(name, null, "is no regular file");
    }
    int flags = Libc.O_RDONLY | Libc.O_NONBLOCK | FileCalls.O_NOCTTY;
    return opened(at(FileCalls.AT_FDCWD, ownPath(), flags, 0), name);
  }

  /**
   * Creates a file in this directory and opens it for writing; fails if the name exists, even as a
   * link.
   */
  public Descriptor create(String file, int permissions) throws IOException {
    int flags = O_WRONLY | FileCalls.O_CREAT | FileCalls.O_EXCL | openFlag(Flag.NOFOLLOW);
    return opened(at(fd, file, flags, permissions), file);
  }

  /** Creates a directory in this one; false if the name exists. */
  public boolean makeDirectory(String directory, int permissions) throws IOException {
    try (NativeBuffer bytes = bytes(directory)) {
      if (FileCalls.mkdirat(fd, bytes.address(), permissions) == 0) {
        return true;
      }
      if (Libc.errno() == Errno.EEXIST) {
        return false;
      }
      throw failure(directory, Libc.errno());
    }
  }

  /** Removes a file from this directory, if it exists. */
  public void remove(String file) throws IOException {
    try (NativeBuffer bytes = bytes(file)) {
      if (FileCalls.unlinkat(fd, bytes.address(), 0) != 0 && Libc.errno() != Errno.ENOENT) {
        throw failure(file, Libc.errno());
      }
    }
  }

  /** The target of this symbolic link. */
  public String target() throws IOException {
    try (NativeBuffer result = NativeBuffer.allocate(MAX_PATH);
        NativeBuffer empty = bytes("")) {
      long length =
          Libc.syscall(
              Numbers.of(
                  SystemCallNumbers.READLINKAT,
                  stackweave.agent.cpu.aarch64.SystemCallNumbers.READLINKAT),
              fd,
              empty.address(),
              result.address(),
              MAX_PATH,
              0,
              0);
      if (length < 0) {
        throw failure(name, Libc.errno());
      }
      byte[] bytes = new byte[(int) length];
      result.bytes().get(0, bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  /** Its present attributes. */
  public FileFacts facts() throws IOException {
    int statx =
        Numbers.of(SystemCallNumbers.STATX, stackweave.agent.cpu.aarch64.SystemCallNumbers.STATX);
    try (NativeBuffer result = NativeBuffer.allocate(STATX_BYTES);
        NativeBuffer empty = bytes("")) {
      if (Libc.syscall(
              statx,
              fd,
              empty.address(),
              FileCalls.AT_EMPTY_PATH,
              STATX_BASIC_STATS,
              result.address(),
              0)
          != 0) {
        throw failure(name, Libc.errno());
      }
      ByteBuffer bytes = result.bytes();
      return new FileFacts(
          bytes.getShort(STATX_MODE) & 0xffff,
          bytes.getInt(STATX_UID),
          bytes.getInt(STATX_LINKS),
          bytes.getLong(STATX_SIZE),
          Integer.toUnsignedLong(bytes.getInt(STATX_DEVICE)) << 32
              | Integer.toUnsignedLong(bytes.getInt(STATX_DEVICE + Integer.BYTES)),
          bytes.getLong(STATX_INODE));
    }
  }

  /**
   * Reads into {@code buffer} from {@code offset} of the file on.
   *
   * @return how many bytes; 0 at its end
   */
  public int read(NativeBuffer buffer, long offset) throws IOException {
    int length = (int) Libc.pread(fd, buffer.address(), buffer.bytes().capacity(), offset);
    if (length < 0) {
      throw failure(name, Libc.errno());
    }
    return length;
  }

  /** Writes the first {@code length} bytes of {@code buffer}. */
  public void write(NativeBuffer buffer, int length) throws IOException {
    for (int done = 0; done < length; ) {
      int count = (int) Libc.write(fd, buffer.address() + done, length - done);
      if (count < 0 && Libc.errno() != Errno.EINTR) {
        throw failure(name, Libc.errno());
      }
      done += Math.max(0, count);
    }
  }

  /** Connects a stream to this socket, whatever its name is now. */
  public Descriptor connect() throws IOException {
    Descriptor stream =
        opened(FileCalls.socket(AF_UNIX, SOCK_STREAM | Libc.O_CLOEXEC | Libc.O_NONBLOCK, 0), name);
    byte[] path = ownPath().getBytes(StandardCharsets.US_ASCII);
    try (NativeBuffer address = NativeBuffer.allocate(Short.BYTES + path.length + 1)) {
      address.bytes().putShort(0, (short) AF_UNIX);
      address.bytes().put(Short.BYTES, path);
      long start = System.nanoTime();
      while (FileCalls.connect(stream.fd, address.address(), Short.BYTES + path.length + 1) != 0) {
        int errno = Libc.errno();
        if (errno != Errno.EAGAIN || System.nanoTime() - start > QUEUE_NANOS) {
          stream.close();
          throw failure(name, errno);
        }
        LockSupport.parkNanos(QUEUE_PAUSE_NANOS); // the socket's queue is full
      }
      return stream;
    }
  }

  /** The listening process of a connected stream, and its user. */
  public Peer peer() throws IOException {
    try (NativeBuffer result = NativeBuffer.allocate(4 * Integer.BYTES)) {
      ByteBuffer bytes = result.bytes();
      bytes.putInt(3 * Integer.BYTES, 3 * Integer.BYTES);
      if (FileCalls.getsockopt(
              fd, SOL_SOCKET, SO_PEERCRED, result.address(), result.address() + 3 * Integer.BYTES)
          != 0) {
        throw failure(name, Libc.errno());
      }
      return new Peer(bytes.getInt(0), bytes.getInt(Integer.BYTES));
    }
  }

  /**
   * The other end of a stream.
   *
   * @param pid as this process sees it; 0 if it is not visible
   * @param uid its effective user id as this process sees it
   */
  public record Peer(int pid, int uid) {}

  /**
   * Reads what has arrived on a stream, waiting for its first byte.
   *
   * @return how many bytes; 0 at its end
   * @throws FileSystemException also if nothing arrives in time
   */
  public int receive(NativeBuffer buffer, int timeoutMillis) throws IOException {
    try (NativeBuffer poll = NativeBuffer.allocate(Long.BYTES)) {
      long start = System.nanoTime();
      while (true) {
        int length = (int) Libc.read(fd, buffer.address(), buffer.bytes().capacity());
        if (length >= 0) {
          return length;
        }
        if (Libc.errno() != Errno.EAGAIN && Libc.errno() != Errno.EINTR) {
          throw failure(name, Libc.errno());
        }
        long left = timeoutMillis - (System.nanoTime() - start) / 1_000_000;
        if (left <= 0) {
          throw new FileSystemException(name, null, "no answer in time");
        }
        poll.bytes().putInt(0, fd).putInt(Integer.BYTES, Libc.POLLIN);
        Libc.poll(poll.address(), 1, (int) left);
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
    if (Libc.syscall(FileCalls.PIDFD_SEND_SIGNAL, fd, signal, 0, 0, 0, 0) == 0) {
      return;
    }
    if (Libc.errno() != Errno.ENOSYS) {
      throw failure(name, Libc.errno());
    }
    look("status").close();
    if (FileCalls.kill(pid, signal) != 0) {
      throw failure(name, Libc.errno());
    }
  }

  /**
   * How many bytes the calling thread's user may still write in its file system; {@link
   * Long#MAX_VALUE} if the file system doesn't say.
   */
  public long room() {
    // Not FileStore, which fails where the mount is not one of this process's own.
    File file = new File(ownPath());
    return file.getTotalSpace() == 0 ? Long.MAX_VALUE : file.getUsableSpace();
  }

  /** A path by which this process only can open this descriptor again. */
  public String ownPath() {
    return "/proc/self/fd/" + fd;
  }

  private static Descriptor opened(int fd, String name) throws IOException {
    if (fd < 0) {
      throw failure(name, Libc.errno());
    }
    return new Descriptor(fd, name);
  }

  private static int at(int directory, String path, int flags, int mode) throws IOException {
    try (NativeBuffer bytes = bytes(path)) {
      int fd = FileCalls.openat(directory, bytes.address(), flags | Libc.O_CLOEXEC, mode);
      if (fd < 0) {
        throw failure(path, Libc.errno());
      }
      return fd;
    }
  }

  private static NativeBuffer bytes(String path) throws IOException {
    // As the JDK's own file system encodes names.
    byte[] bytes =
        path.getBytes(
            Charset.forName(System.getProperty(JvmProperties.FILE_NAME_ENCODING, "UTF-8")));
    if (bytes.length >= PATH_MAX || path.indexOf('\0') >= 0) {
      throw new FileSystemException(path, null, "no name for a file");
    }
    NativeBuffer buffer = NativeBuffer.allocate(bytes.length + 1);
    buffer.bytes().put(0, bytes);
    return buffer;
  }

  private static FileSystemException failure(String file, int errno) {
    return switch (errno) {
      case Errno.ENOENT -> new NoSuchFileException(file);
      case Errno.EACCES, Errno.EPERM -> new AccessDeniedException(file);
      case Errno.EEXIST -> new FileAlreadyExistsException(file, null, "is there already");
      case Errno.ELOOP -> new FileSystemException(file, null, "is a link");
      case Errno.ENOTDIR -> new FileSystemException(file, null, "is no directory");
      case Errno.ENOSPC -> new FileSystemException(file, null, "no space left on device");
      case Errno.EROFS -> new FileSystemException(file, null, "read-only file system");
      case Errno.ECONNREFUSED -> new FileSystemException(file, null, "nobody listens");
      case Errno.EAGAIN -> new FileSystemException(file, null, "too many are waiting there");
      default -> new FileSystemException(file, null, Errno.name(errno));
    };
  }

  /** Flags whose values differ between architectures. */
  private enum Flag {
    DIRECTORY,
    NOFOLLOW
  }

  private static int openFlag(Flag flag) {
    return switch (flag) {
      case DIRECTORY ->
          Numbers.of(
              FileInterface.O_DIRECTORY, stackweave.agent.cpu.aarch64.FileInterface.O_DIRECTORY);
      case NOFOLLOW ->
          Numbers.of(
              FileInterface.O_NOFOLLOW, stackweave.agent.cpu.aarch64.FileInterface.O_NOFOLLOW);
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
