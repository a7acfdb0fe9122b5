package stackweave.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import stackweave.tableless.code.CallerRule;
import stackweave.tableless.code.CodePaths;
import stackweave.tableless.x86.NativeCode;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finding a caller by the way to {@code ret}, for a pc that was not met before: at random places of
 * the C library's code, which is read from a copy. A pc that was met before costs a look into a
 * table. x86-64 only.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ForwardBenchmark {
  private static final int PCS = 4_096;

  private final CodePaths analysis = new NativeCode().paths();
  private final long[] pcs = new long[PCS];
  private MemoryReader code;
  private int next;

  /** Takes the code around a function's own and random instructions behind returns in it. */
  @Setup
  public void read() throws IOException {
    String line =
        Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .filter(l -> l.contains(" r-xp ") && l.endsWith("/libc.so.6"))
            .findFirst()
            .orElseThrow();
    String[] fields = line.split(" +");
    long offset = Long.parseLong(fields[2], 16);
    String[] range = fields[0].split("-");
    byte[] text = new byte[(int) (Long.parseLong(range[1], 16) - Long.parseLong(range[0], 16))];
    try (FileChannel file = FileChannel.open(Path.of(fields[5]))) {
      ByteBuffer buffer = ByteBuffer.wrap(text);
      while (buffer.hasRemaining() && file.read(buffer, offset + buffer.position()) > 0) {}
    }
    code = new Copy(text);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < PCS; i++) {
      int at = random.nextInt(text.length - 64);
      // An instruction begins behind a call: e8 and four bytes of a distance within the library.
      while (text[at] != (byte) 0xe8 || text[at + 4] != 0 && text[at + 4] != -1) {
        at = (at + 1) % (text.length - 64);
      }
      pcs[i] = at + 5;
    }
  }

  private record Copy(byte[] text) implements MemoryReader {
    @Override
    public long readLong(long address) throws UnreadableMemoryException {
      byte[] word = new byte[Long.BYTES];
      read(address, word, 0, word.length);
      return ByteBuffer.wrap(word).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    @Override
    public void read(long address, byte[] target, int offset, int length)
        throws UnreadableMemoryException {
      if (address < 0 || address > text.length - length) {
        throw UnreadableMemoryException.UNREADABLE;
      }
      System.arraycopy(text, (int) address, target, offset, length);
    }
  }

  /** An interrupted function. */
  @Benchmark
  public CallerRule forward() {
    return analysis.forward(pcs[next++ & PCS - 1], true, code, target -> false);
  }

  /** The check before tables, where these are right at calls only. */
  @Benchmark
  public CallerRule straight() {
    return analysis.straight(pcs[next++ & PCS - 1], code, target -> false);
  }
}
