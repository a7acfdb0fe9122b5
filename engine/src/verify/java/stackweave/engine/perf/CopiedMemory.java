package stackweave.engine.perf;

import com.sun.jna.Pointer;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.Burner;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;

/**
 * What the kernel copies into the rings of the CPUs while this process computes, and another one
 * that has a secret all over its stack. Nothing is taken from the rings meanwhile.
 *
 * @param own records of samples of this process
 * @param others such records of others
 * @param secrets places in the rings with the secret
 */
record CopiedMemory(int own, int others, int secrets) {
  private static final long INTERVAL_NANOS = 10_000_000;

  /** Samples of this process that there are to be, and ticks of the other one. */
  private static final int ENOUGH = 20;

  private static final int ENOUGH_TICKS = 50;
  private static final int TRIES = 6_000;

  private static final long IOC_ENABLE = 0x2400;
  private static final int PAGE = 4096;
  private static final int DATA_HEAD = 1024;
  private static final int RECORD_SAMPLE = 9;

  /** Prints it. Arguments: a directory for files, and {@code filtered} for the engine as it is. */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    System.out.println(
        arguments[1].equals("filtered") ? ofEngine(directory) : ofEventsWithoutFilter(directory));
  }

  /** With the engine as it is. */
  private static CopiedMemory ofEngine(Path directory) throws Exception {
    return during(
        directory,
        () ->
            PerfCpuEngine.start(
                new EngineConfig(INTERVAL_NANOS, EngineConfig.MAX_STACK_BYTES, EngineKind.PERF),
                new PerfBudget(PerfBudget.DEFAULT_BYTES)));
  }

  /** With the engine's events, but without a filter. */
  private static CopiedMemory ofEventsWithoutFilter(Path directory) throws Exception {
    return during(directory, CopiedMemory::openWithoutFilter);
  }

  private interface Opener {
    AutoCloseable open() throws EngineRefusedException;
  }

  private static AutoCloseable openWithoutFilter() {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES);
    PerfAttr.ofCpu(
        attr.bytes(),
        false,
        INTERVAL_NANOS,
        PerfAttr.MAX_STACK_BYTES,
        PerfRegisters.of(Architecture.X86_64),
        PerfSizes.RING_BYTES / 4);
    PerfRings rings =
        PerfRings.open(
            (cpu, bytes) ->
                calls.perfEventOpen(attr.address(), -1, cpu, -1, PerfEvents.FLAG_FD_CLOEXEC),
            CpuSet.ofProcess(),
            PerfSizes.RING_BYTES,
            PerfSizes.RING_BYTES);
    attr.close();
    if (rings.errno() != 0) {
      throw new IllegalStateException("errno " + rings.errno());
    }
    for (PerfRing ring : rings.all()) {
      Libc.ioctl(ring.fd(), IOC_ENABLE, 0);
    }
    return rings;
  }

  private static CopiedMemory during(Path directory, Opener opener) throws Exception {
    long number = ThreadLocalRandom.current().nextLong(1L << 32, Long.MAX_VALUE);
    Path program = Gcc.compile(directory, "secret.c", "secret-" + number, "-pthread");
    int cpus = Runtime.getRuntime().availableProcessors();
    Process other = new ProcessBuilder(program.toString(), "" + number, "" + cpus).start();
    Burner own = Burner.start("own", Long.MAX_VALUE);
    try (BufferedReader said = other.inputReader(StandardCharsets.US_ASCII)) {
      if (!"ready".equals(said.readLine())) {
        throw new IOException("secret did not start");
      }
      AutoCloseable opened = opener.open();
      try {
        return whileBothCompute(other.pid(), number * 0x9E3779B97F4A7C15L);
      } finally {
        opened.close();
      }
    } finally {
      own.endAfter(0);
      own.join();
      other.destroyForcibly().waitFor();
    }
  }

  private static CopiedMemory whileBothCompute(long other, long secret)
      throws IOException, InterruptedException {
    long ticks = ticks(other) + ENOUGH_TICKS;
    CopiedMemory copied = inRings(secret);
    for (int i = 0; i < TRIES && (copied.own < ENOUGH || ticks(other) < ticks); i++) {
      Thread.sleep(20);
      copied = inRings(secret);
    }
    return inRings(secret);
  }

  /** CPU time of a process (proc_pid_stat(5)). */
  private static long ticks(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
  }

  /** All rings of this process, from their first byte to their last, and what is in them. */
  private static CopiedMemory inRings(long secret) throws IOException {
    List<String> mapped =
        Files.readAllLines(Path.of("/proc/self/maps")).stream()
            .filter(line -> line.contains("[perf_event]"))
            .toList();
    int own = 0;
    int others = 0;
    int secrets = 0;
    for (String line : mapped) {
      String[] ends = line.split(" ")[0].split("-");
      long from = Long.parseUnsignedLong(ends[0], 16);
      int length = (int) (Long.parseUnsignedLong(ends[1], 16) - from);
      long head = new Pointer(from).getLong(DATA_HEAD);
      ByteBuffer ring =
          ByteBuffer.wrap(new Pointer(from).getByteArray(PAGE, length - PAGE))
              .order(ByteOrder.nativeOrder());
      for (int at = 0; at < head; at += ring.getShort(at + 6) & 0xffff) {
        boolean isSample = ring.getInt(at) == RECORD_SAMPLE;
        own += isSample && ring.getInt(at + 8) == Libc.getpid() ? 1 : 0;
        others += isSample && ring.getInt(at + 8) != Libc.getpid() ? 1 : 0;
      }
      for (int at = 0; at <= ring.limit() - Long.BYTES; at++) {
        secrets += ring.getLong(at) == secret ? 1 : 0;
      }
    }
    return new CopiedMemory(own, others, secrets);
  }
}
