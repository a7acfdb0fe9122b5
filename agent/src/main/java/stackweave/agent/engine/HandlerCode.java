package stackweave.agent.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * Brings the assembled handler into executable memory, the way that hardened systems allow: written
 * into a memory file, which is sealed against all change, and only then mapped, to be read and
 * executed. There is no moment at which code could be written through any mapping, so neither
 * PR_SET_MDWE nor W^X policies object, and a fresh mapping needs no flush of instruction caches.
 */
final class HandlerCode {
  /** The memory file's name, by which its mapping is known in /proc/self/maps. */
  static final String NAME = "stackweave-handler";

  private static final int MFD_CLOEXEC = 1;
  private static final int MFD_ALLOW_SEALING = 2;
  private static final int MFD_NOEXEC_SEAL = 8;
  private static final int SEALS = 1 | 2 | 4 | 8; // seal, shrink, grow, write

  private HandlerCode() {}

  /**
   * Maps the handler.
   *
   * @param processBlock the address that is filled in as the code's last word
   * @return the address of its first instruction
   */
  static long install(SystemCalls calls, HandlerLayout layout, long processBlock)
      throws EngineRefusedException {
    byte[] code = read(layout);
    int fd = memoryFile(calls, NAME);
    try (NativeBuffer buffer = NativeBuffer.allocate(code.length)) {
      ByteBuffer bytes = buffer.bytes();
      bytes.put(0, code);
      bytes.putLong(code.length - Long.BYTES, processBlock);
      if (Libc.write(fd, buffer.address(), code.length) != code.length
          || Libc.fcntl(fd, Libc.F_ADD_SEALS, SEALS) < 0) {
        throw TimerRefusals.memory(Libc.errno());
      }
      long address =
          Libc.mmap(0, code.length, Libc.PROT_READ | Libc.PROT_EXEC, Libc.MAP_PRIVATE, fd, 0);
      if (address == Libc.MAP_FAILED) {
        throw TimerRefusals.executable(Libc.errno());
      }
      return address;
    } finally {
      Libc.close(fd);
    }
  }

  private static int memoryFile(SystemCalls calls, String name) throws EngineRefusedException {
    byte[] text = name.getBytes(StandardCharsets.US_ASCII);
    try (NativeBuffer buffer = NativeBuffer.allocate(text.length + 1)) {
      buffer.bytes().put(0, text);
      int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
      int fd = calls.memfdCreate(buffer.address(), flags | MFD_NOEXEC_SEAL);
      if (fd < 0 && Libc.errno() == Errno.EINVAL) {
        fd = calls.memfdCreate(buffer.address(), flags); // before Linux 6.3
      }
      if (fd < 0) {
        throw TimerRefusals.memoryFile(Libc.errno());
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
