package stackweave.tableless.aarch64;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Steps through a program in qemu, by its stub for gdb (GDB Remote Serial Protocol): registers and
 * memory at each instruction.
 */
final class QemuStepper implements AutoCloseable {
  private static final int REGISTERS = 33;
  private static final int TRIES = 2_400;
  private static final int PAGE = 512;

  private final Process qemu;
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** Code, which does not change. */
  private final Map<Long, byte[]> pages = new HashMap<>();

  private QemuStepper(Process qemu, Socket socket) throws IOException {
    this.qemu = qemu;
    this.socket = socket;
    socket.setTcpNoDelay(true);
    this.in = socket.getInputStream();
    this.out = socket.getOutputStream();
  }

  static QemuStepper start(String emulator, Path program) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    Process qemu =
        new ProcessBuilder(emulator, "-g", Integer.toString(port), program.toString())
            .redirectErrorStream(true)
            .start();
    for (int i = 0; ; i++) {
      try {
        return new QemuStepper(qemu, new Socket(InetAddress.getLoopbackAddress(), port));
      } catch (IOException e) {
        if (i == TRIES) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  /** x0 to x30, sp, pc. */
  long[] registers() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(bytes(ask("g"))).order(ByteOrder.LITTLE_ENDIAN);
    long[] registers = new long[REGISTERS];
    for (int i = 0; i < REGISTERS; i++) {
      registers[i] = bytes.getLong();
    }
    return registers;
  }

  /** The registers behind the next instruction; null if the program has ended. */
  long[] step() throws IOException {
    String said = ask("s");
    return said.startsWith("W") || said.startsWith("X") ? null : registers();
  }

  int word(long address) throws IOException {
    return ByteBuffer.wrap(read(address, 4)).order(ByteOrder.LITTLE_ENDIAN).getInt();
  }

  long longAt(long address) throws IOException {
    return ByteBuffer.wrap(read(address, 8)).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private byte[] read(long address, int length) throws IOException {
    return bytes(ask("m" + Long.toHexString(address) + "," + Integer.toHexString(length)));
  }

  /** The program's code. */
  MemoryReader code() {
    return new MemoryReader() {
      @Override
      public long readLong(long address) throws UnreadableMemoryException {
        throw UnreadableMemoryException.UNREADABLE;
      }

      @Override
      public void read(long address, byte[] target, int offset, int length)
          throws UnreadableMemoryException {
        for (int i = 0; i < length; i++) {
          byte[] page = page((address + i) / PAGE);
          if (page.length < PAGE) {
            throw UnreadableMemoryException.UNREADABLE;
          }
          target[offset + i] = page[(int) ((address + i) % PAGE)];
        }
      }
    };
  }

  private byte[] page(long number) {
    return pages.computeIfAbsent(
        number,
        n -> {
          try {
            return read(n * PAGE, PAGE);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static byte[] bytes(String hex) {
    return hex.startsWith("E") ? new byte[0] : HexFormat.of().parseHex(hex.replace("x", "0"));
  }

  private String ask(String packet) throws IOException {
    byte[] bytes = packet.getBytes(StandardCharsets.US_ASCII);
    int sum = 0;
    for (byte b : bytes) {
      sum += b;
    }
    out.write(String.format("$%s#%02x", packet, sum & 255).getBytes(StandardCharsets.US_ASCII));
    out.flush();
    while (next() != '$') {} // its acknowledgement
    StringBuilder answer = new StringBuilder();
    for (int c = next(); c != '#'; c = next()) {
      answer.append((char) c);
    }
    next();
    next();
    out.write('+');
    out.flush();
    return answer.toString();
  }

  private int next() throws IOException {
    int c = in.read();
    if (c < 0) {
      throw new IOException("qemu has ended");
    }
    return c;
  }

  @Override
  public void close() throws IOException {
    socket.close();
    qemu.destroyForcibly();
  }
}
