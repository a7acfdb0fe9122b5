package stackweave.benchmarks;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.linux.MemoryAccess;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SelfMemory;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The time to read the header of a code blob, alone and together with those of a stack; per header.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SelfMemoryBenchmark {
  private static final int HEADERS = 32;
  private static final int HEADER_BYTES = 344;
  private static final int CODE_CACHE_BYTES = 8 << 20;

  private final long[] addresses = new long[HEADERS];
  private final byte[] target = new byte[HEADERS * HEADER_BYTES];

  /** The usual way of reading, and that under a seccomp filter. */
  @Param({"PROCESS_VM_READV", "PROC_SELF_MEM"})
  public MemoryAccess access;

  private SelfMemory memory;
  private NativeBuffer codeCache;

  /** Places headers far from each other, in memory that is mapped and written. */
  @Setup
  public void open() {
    memory = new SelfMemory(access);
    codeCache = NativeBuffer.allocate(CODE_CACHE_BYTES);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < HEADERS; i++) {
      int offset = random.nextInt(CODE_CACHE_BYTES - HEADER_BYTES) & -64;
      codeCache.bytes().putLong(offset, i);
      addresses[i] = codeCache.address() + offset;
    }
  }

  @TearDown
  public void close() {
    codeCache.close();
    memory.close();
  }

  @Benchmark
  @OperationsPerInvocation(HEADERS)
  public byte[] oneByOne() throws UnreadableMemoryException {
    for (int i = 0; i < HEADERS; i++) {
      memory.read(addresses[i], target, i * HEADER_BYTES, HEADER_BYTES);
    }
    return target;
  }

  @Benchmark
  @OperationsPerInvocation(HEADERS)
  public byte[] allInOneCall() throws UnreadableMemoryException {
    memory.readEach(addresses, HEADERS, HEADER_BYTES, target);
    return target;
  }
}
