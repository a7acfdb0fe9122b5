package stackweave.engine.timer.handler;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.CallPolicy;
import stackweave.linux.Errno;
import stackweave.linux.GuardedCall;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.ProcessMemory;
import stackweave.linux.SystemCalls;
import stackweave.maps.proc.Mapping;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Maps the assembled handler executable. It is written into a memory file, which is sealed against
 * changes and only then mapped readable and executable; so the code is never writable and
 * executable at once, as PR_SET_MDWE and W^X policies demand, and a fresh mapping needs no flush of
 * instruction caches. If there is no memory file, or it must not be asked for ({@link
 * GuardedCall#MEMFD_CREATE}), anonymous memory is first written and then made executable. Used by
 * {@link HandlerMemory}; stateless.
 */
public final class HandlerCode {
  /** The memory file's name, which its mapping in /proc/self/maps shows. */
  public static final String NAME = "stackweave-handler";

  private static final int MFD_CLOEXEC = 1;
  private static final int MFD_ALLOW_SEALING = 2;
  private static final int MFD_NOEXEC_SEAL = 8;
  private static final int SEALS = 1 | 2 | 4 | 8; // seal, shrink, grow, write

  /** Larger anonymous mappings are not searched: they belong to compilers. */
  private static final long MAX_ANONYMOUS = 1 << 20;

  private HandlerCode() {}

  /**
   * Maps the handler.
   *
   * @param processBlock the address that is written as the code's last word
   * @return the address of its first instruction
   */
  static long install(SystemCalls calls, CallPolicy policy, HandlerLayout layout, long processBlock)
      throws EngineRefusedException {
    byte[] code = read(layout);
    ByteBuffer.wrap(code)
        .order(ByteOrder.nativeOrder())
        .putLong(code.length - Long.BYTES, processBlock);
    int fd = memoryFile(calls, policy, NAME);
    return fd < 0 ? installAnonymously(code) : installFrom(fd, code);
  }

  private static long installFrom(int fd, byte[] code) throws EngineRefusedException {
    try (NativeBuffer buffer = NativeBuffer.allocate(code.length)) {
      buffer.bytes().put(0, code);
      if (Libc.write(fd, buffer.address(), code.length) != code.length
          || Libc.fcntl(fd, Libc.F_ADD_SEALS, SEALS) < 0) {
        throw RefusalText.TIMER_MEMORY.of(EngineKind.TIMER, Libc.errno());
      }
      long address =
          Libc.mmap(0, code.length, Libc.PROT_READ | Libc.PROT_EXEC, Libc.MAP_PRIVATE, fd, 0);
      if (address == Libc.MAP_FAILED) {
        throw RefusalText.TIMER_EXECUTABLE.of(EngineKind.TIMER, Libc.errno());
      }
      return address;
    } finally {
      Libc.close(fd);
    }
  }

  private static long installAnonymously(byte[] code) throws EngineRefusedException {
    NativeBuffer memory = NativeBuffer.allocate(code.length);
    memory.bytes().put(0, code);
    if (Libc.mprotect(memory.address(), code.length, Libc.PROT_READ | Libc.PROT_EXEC) < 0) {
      int errno = Libc.errno();
      memory.close();
      throw RefusalText.TIMER_EXECUTABLE.of(EngineKind.TIMER, errno);
    }
    return memory.address();
  }

  /**
   * The address of this code in a mapping, ignoring its last word; 0 if it isn't there. Anonymous
   * memory has no name and may be merged with its neighbours, so every page is compared.
   */
  static long find(Mapping mapping, byte[] code, ProcessMemory memory)
      throws UnreadableMemoryException {
    if (!mapping.executable() || mapping.writable()) {
      return 0;
    }
    boolean named = mapping.path().equals("/memfd:" + NAME);
    boolean anonymous =
        mapping.path().isEmpty() && mapping.end() - mapping.start() <= MAX_ANONYMOUS;
    if (!named && !anonymous) {
      return 0;
    }
    int own = code.length - Long.BYTES;
    byte[] found = new byte[code.length];
    int step = (int) Libc.sysconf(Libc.SC_PAGESIZE);
    for (long at = mapping.start(); at < mapping.end(); at += step) {
      memory.read(at, found, 0, found.length);
      if (Arrays.equals(code, 0, own, found, 0, own)) {
        return at;
      }
    }
    return 0;
  }

  /** A file descriptor, or −1 if there is none. */
  private static int memoryFile(SystemCalls calls, CallPolicy policy, String name) {
    if (!policy.allows(GuardedCall.MEMFD_CREATE)) {
      return -1;
    }
    byte[] text = name.getBytes(StandardCharsets.US_ASCII);
    try (NativeBuffer buffer = NativeBuffer.allocate(text.length + 1)) {
      buffer.bytes().put(0, text);
      int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
      int fd = calls.memfdCreate(buffer.address(), flags | MFD_NOEXEC_SEAL);
      if (fd < 0 && Libc.errno() == Errno.EINVAL) {
        fd = calls.memfdCreate(buffer.address(), flags); // before Linux 6.3
      }
      return fd;
    }
  }

  /** The handler as assembled, its last word 0. */
  static byte[] read(HandlerLayout layout) {
    String name = "handler-" + layout.label() + ".bin";
    try (InputStream in = HandlerCode.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("the agent jar lacks " + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
