package stackweave.linux;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongSupplier;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads the process's own memory through the kernel, so that an unmapped address is an exception
 * and not a signal: by process_vm_readv on the own pid, or, where that is denied (seccomp filter,
 * kernel without CONFIG_CROSS_MEMORY_ATTACH) or must not be tried ({@link GuardedCall}), by pread
 * of /proc/self/mem. Only the latter reads pages without read permission. About 1 µs a call, 6.5 µs
 * for 64 KiB; caches and allocates nothing. Not thread-safe.
 */
public final class SelfMemory implements MemoryReader, AutoCloseable {

  /** How the memory is read. */
  public enum Way {
    /** By process_vm_readv(2). */
    PROCESS_VM_READV,
    /** By pread of /proc/self/mem. */
    PROC_SELF_MEM,
    /**
     * Not at all: both are denied, or this reader is closed. Every read is {@code UNREADABLE}.
     * Unless it is closed, a read tries /proc/self/mem again once a second: the process may have
     * had no descriptor left.
     */
    NONE
  }

  private static final int LOCAL_VECTOR = 0;
  private static final int REMOTE_VECTOR = 16;
  private static final int DATA = 32;

  /** Most bytes that one call reads; longer reads are several calls. */
  private static final int CAPACITY = 64 * 1024;

  private static final String FILE = "/proc/self/mem";
  private static final long RETRY_NANOS = 1_000_000_000L;

  private final int pid;
  private final String file;
  private final LongSupplier nanoTime;
  private final NativeBuffer buffer;
  private final ByteBuffer bytes;
  private Way way;
  private int memFd = -1;
  private boolean guarded;

  /** Whether the user has allowed process_vm_readv under a filter. */
  private boolean allowed;

  private int vectorErrno;
  private int fileErrno;
  private long opened;
  private boolean closed;

  /** With {@link MemoryAccess#AUTO}, for the calling thread. */
  public SelfMemory() {
    this(MemoryAccess.AUTO);
  }

  /** For the calling thread, which must be the only one that reads. */
  public SelfMemory(MemoryAccess access) {
    this(wayFor(access));
    allowed = access == MemoryAccess.PROCESS_VM_READV;
    guarded = access == MemoryAccess.AUTO && way != Way.PROCESS_VM_READV;
  }

  private static Way wayFor(MemoryAccess access) {
    boolean vector =
        switch (access) {
          case AUTO -> CallPolicy.ofThread(Set.of()).allows(GuardedCall.PROCESS_VM_READV);
          case PROCESS_VM_READV -> true;
          case PROC_SELF_MEM -> false;
        };
    return vector ? Way.PROCESS_VM_READV : Way.PROC_SELF_MEM;
  }

  /** Starts with {@code way}; for tests of the fallback. */
  public SelfMemory(Way way) {
    this(way, FILE, System::nanoTime);
  }

  /** With another file and clock, for tests of what happens when the file can't be opened. */
  public SelfMemory(Way way, String file, LongSupplier nanoTime) {
    this.file = file;
    this.nanoTime = nanoTime;
    pid = Libc.getpid();
    buffer = NativeBuffer.allocate(DATA + CAPACITY);
    bytes = buffer.bytes();
    bytes.putLong(LOCAL_VECTOR, buffer.address() + DATA);
    this.way = way;
    if (way == Way.PROC_SELF_MEM) {
      openProcSelfMem();
    }
  }

  /**
   * Why the process can't read its own memory, with the kernel's answers; empty if it can. Tries
   * one read.
   */
  public String denial() {
    try {
      readLong(buffer.address() + LOCAL_VECTOR);
      return "";
    } catch (UnreadableMemoryException e) {
      return "process_vm_readv "
          + (vectorErrno == 0 ? notTried() : "[" + Errno.name(vectorErrno) + "]")
          + ", /proc/self/mem ["
          + (fileErrno == 0 ? "nothing is read" : Errno.name(fileErrno))
          + "]";
    }
  }

  private String notTried() {
    return guarded ? GuardedCall.PROCESS_VM_READV.notTried() : "not asked for";
  }

  /** Whether /proc/self/mem is used only because a seccomp filter may kill for process_vm_readv. */
  public boolean isGuarded() {
    return guarded;
  }

  /**
   * Stops using process_vm_readv, since a seccomp filter was installed. No effect if the user has
   * asked for {@link MemoryAccess#PROCESS_VM_READV}.
   */
  public void guard() {
    if (!allowed && way == Way.PROCESS_VM_READV) {
      guarded = true;
      openProcSelfMem();
    }
  }

  /** How the memory is read at present; a denial is noticed by the read that meets it. */
  public Way way() {
    return way;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    fetch(address, Long.BYTES);
    return bytes.getLong(DATA);
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    for (int done = 0; done < length; ) {
      int piece = Math.min(length - done, CAPACITY);
      fetch(address + done, piece);
      bytes.get(DATA, target, offset + done, piece);
      done += piece;
    }
  }

  @Override
  public void close() {
    closed = true;
    way = Way.NONE;
    buffer.close();
    if (memFd >= 0) {
      Libc.close(memFd);
      memFd = -1;
    }
  }

  private void fetch(long address, int length) throws UnreadableMemoryException {
    if (way == Way.NONE && !closed && nanoTime.getAsLong() - opened >= RETRY_NANOS) {
      openProcSelfMem();
    }
    long got =
        switch (way) {
          case PROCESS_VM_READV -> readVector(address, length);
          case PROC_SELF_MEM -> Libc.pread(memFd, buffer.address() + DATA, length, address);
          case NONE -> -1;
        };
    if (got != length) {
      throw UnreadableMemoryException.UNREADABLE;
    }
  }

  /**
   * Returns how many bytes were read, or -1; after a permanent denial, switches to /proc/self/mem.
   */
  private long readVector(long address, int length) {
    long base = buffer.address();
    bytes.putLong(LOCAL_VECTOR + 8, length);
    bytes.putLong(REMOTE_VECTOR, address);
    bytes.putLong(REMOTE_VECTOR + 8, length);
    long got = Libc.process_vm_readv(pid, base + LOCAL_VECTOR, 1, base + REMOTE_VECTOR, 1, 0);
    if (got >= 0) {
      return got;
    }
    int errno = Libc.errno();
    if (errno == Errno.EPERM || errno == Errno.EACCES || errno == Errno.ENOSYS) {
      vectorErrno = errno;
      openProcSelfMem();
    }
    return way == Way.PROC_SELF_MEM ? Libc.pread(memFd, base + DATA, length, address) : -1;
  }

  private void openProcSelfMem() {
    opened = nanoTime.getAsLong();
    memFd = Libc.open(file, Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    fileErrno = memFd >= 0 ? 0 : Libc.errno();
    way = memFd >= 0 ? Way.PROC_SELF_MEM : Way.NONE;
  }
}
