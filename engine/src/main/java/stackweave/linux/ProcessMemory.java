package stackweave.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongSupplier;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads the memory of this process or of another through the kernel, so that an unmapped address is
 * an exception and not a signal: by process_vm_readv, or, where that is denied (seccomp filter,
 * kernel without CONFIG_CROSS_MEMORY_ATTACH) or must not be tried ({@link GuardedCall}), by pread
 * of /proc/PID/mem. Only the latter reads pages without read permission. About 1 µs a call, 6.5 µs
 * for 64 KiB; caches and allocates nothing. Not thread-safe.
 *
 * <p>Another process's memory is read by pread alone: the open file is that of one program's memory
 * and of nothing else, whoever uses the process's id later.
 */
public final class ProcessMemory implements MemoryReader, AutoCloseable {

  /** How the memory is read. */
  public enum Way {
    /** By process_vm_readv(2). */
    PROCESS_VM_READV,
    /** By pread of /proc/self/mem, or of another process's {@code mem}. */
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

  private static final long RETRY_NANOS = 1_000_000_000L;

  /** Not a lambda: to link one takes a millisecond, and the first sample waits. */
  private static final LongSupplier CLOCK =
      new LongSupplier() {
        @Override
        public long getAsLong() {
          return System.nanoTime();
        }
      };

  private final SampledProcess process;
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

  /** Whether the memory that is open is no process's any more. */
  private boolean gone;

  /** Of this process with {@link MemoryAccess#AUTO}, for the calling thread. */
  public ProcessMemory() {
    this(SampledProcess.OWN, MemoryAccess.AUTO);
  }

  /** For the calling thread, which must be the only one that reads. */
  public ProcessMemory(SampledProcess process, MemoryAccess access) {
    this(process, process.isOwn() ? wayFor(access) : Way.PROC_SELF_MEM, process.file("mem"), CLOCK);
    allowed = access == MemoryAccess.PROCESS_VM_READV;
    guarded = process.isOwn() && access == MemoryAccess.AUTO && way != Way.PROCESS_VM_READV;
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

  /** Of this process, starting with {@code way}; for tests of the fallback. */
  public ProcessMemory(Way way) {
    this(way, SampledProcess.OWN.file("mem"), CLOCK);
  }

  /** With another file and clock, for tests of what happens when the file can't be opened. */
  public ProcessMemory(Way way, String file, LongSupplier nanoTime) {
    this(SampledProcess.OWN, way, file, nanoTime);
  }

  private ProcessMemory(SampledProcess process, Way way, String file, LongSupplier nanoTime) {
    this.process = process;
    this.file = file;
    this.nanoTime = nanoTime;
    pid = process.pid();
    buffer = NativeBuffer.allocate(DATA + CAPACITY);
    bytes = buffer.bytes();
    bytes.putLong(LOCAL_VECTOR, buffer.address() + DATA);
    this.way = way;
    if (way == Way.PROC_SELF_MEM) {
      openProcSelfMem();
    }
  }

  /**
   * Why the process's memory can't be read, with the kernel's answers; empty if it can. Tries one
   * read.
   */
  public String denial() {
    try {
      readLong(process.isOwn() ? buffer.address() + LOCAL_VECTOR : mapped());
      return "";
    } catch (UnreadableMemoryException e) {
      return (process.isOwn()
              ? "process_vm_readv "
                  + (vectorErrno == 0 ? notTried() : "[" + Errno.name(vectorErrno) + "]")
                  + ", "
              : "")
          + file
          + " ["
          + (fileErrno == 0 ? "nothing is read" : Errno.name(fileErrno))
          + "]";
    }
  }

  /** An address that can be read, if any can; 0 if none is known. */
  private long mapped() {
    try {
      for (Mapping mapping : ProcMaps.read(process.directory())) {
        if (mapping.executable() && mapping.isFile()) {
          return mapping.start();
        }
      }
    } catch (IOException e) {
      return 0; // it has ended, or is another user's
    }
    return 0;
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

  /**
   * Whether another process has ended, or runs another program, so that its memory as it was opened
   * is gone for good. Asks the kernel, 1 µs; always false of this process.
   */
  public boolean isGone() {
    if (!gone && !process.isOwn() && memFd >= 0) {
      // Of memory that exists the first page is not mapped, which is an error (mem_rw in
      // fs/proc/base.c).
      gone = Libc.pread(memFd, buffer.address() + DATA, 1, 0) == 0;
    }
    return gone;
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
    if (memFd >= 0 && memFd != process.memory()) {
      Libc.close(memFd);
    }
    memFd = -1;
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
    memFd =
        process.memory() >= 0
            ? process.memory()
            : Libc.open(file, Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    fileErrno = memFd >= 0 ? 0 : Libc.errno();
    way = memFd >= 0 ? Way.PROC_SELF_MEM : Way.NONE;
  }
}
