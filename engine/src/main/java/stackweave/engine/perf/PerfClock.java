package stackweave.engine.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;
import stackweave.engine.KernelClock;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Finds the difference between {@link System#nanoTime} and the clock of perf's records. Both are
 * CLOCK_MONOTONIC, but libc's may be faked ({@link KernelClock}), and a process in a time namespace
 * (time_namespaces(7)) reads one with another offset, while perf uses the machine's. Measured once
 * per engine, as a process with several threads can't change its namespace: the calling thread sets
 * its name to the present one, which writes a record, and reads its clock before and after.
 * Stateless.
 */
final class PerfClock {
  private static final int PR_SET_NAME = 15;
  private static final int PR_GET_NAME = 16;
  private static final int NAME_BYTES = 16;
  private static final int RECORD_COMM = 3;

  /** A record's time is so far before its end; the event's id follows. */
  private static final int TIME_FROM_END = 16;

  private static final int TRIES = 8;

  /** Precise enough; an undisturbed try takes less. */
  private static final long BRACKET_NANOS = 20_000;

  /**
   * Differences below this are errors of measurement and taken as 0: no time namespace has such a
   * small offset.
   */
  private static final long SAME_NANOS = 50_000;

  /** As an offset other than 0 may be wrong: an undisturbed measurement is fifty times better. */
  static final long MEASURED_NANOS = 1_000_000;

  private static final String NAMESPACE = "/proc/self/ns/time";

  /** The first namespace of times (include/linux/proc_ns.h, PROC_TIME_INIT_INO). */
  private static final String FIRST_NAMESPACE = "time:[" + 0xEFFFFFFAL + "]";

  private PerfClock() {}

  /**
   * The same by rings that exist for this call only, unless the process is in the first namespace
   * of times, or the kernel has no others.
   *
   * @param tid the calling thread
   * @param clock of this process
   */
  static OptionalLong measure(SystemCalls calls, int tid, int[] cpus, KernelClock clock) {
    Path namespace = Path.of(NAMESPACE);
    try {
      if (Files.readSymbolicLink(namespace).toString().equals(FIRST_NAMESPACE)) {
        return OptionalLong.of(clock.offset());
      }
    } catch (NoSuchFileException e) {
      return OptionalLong.of(clock.offset()); // before Linux 5.6
    } catch (IOException e) {
      // It can't be told, and is measured.
    }
    int page = (int) Libc.sysconf(Libc.SC_PAGESIZE);
    try (NativeBuffer attr = NativeBuffer.allocate(PerfAttr.BYTES)) {
      PerfRings rings =
          PerfRings.openOwned(calls, attr, PerfAttr.Features.NONE, tid, cpus, page, page);
      try (rings) {
        return rings.errno() == 0 ? offset(rings.all()) : OptionalLong.empty();
      }
    }
  }

  /**
   * The nanoseconds to add to a record's time. Consumes all records in the rings.
   *
   * @param rings of events of the calling thread that report new names, with records of that thread
   *     only
   * @return empty if no record came
   */
  static OptionalLong offset(PerfRing[] rings) {
    try (NativeBuffer name = NativeBuffer.allocate(NAME_BYTES)) {
      if (Libc.prctl(PR_GET_NAME, name.address(), 0, 0, 0) < 0) {
        return OptionalLong.empty();
      }
      long shortest = Long.MAX_VALUE;
      long offset = 0;
      for (int i = 0; i < TRIES && shortest > BRACKET_NANOS; i++) {
        newestName(rings);
        long before = System.nanoTime();
        Libc.prctl(PR_SET_NAME, name.address(), 0, 0, 0);
        long after = System.nanoTime();
        OptionalLong time = newestName(rings);
        if (time.isPresent() && after - before < shortest) {
          shortest = after - before;
          offset = before + shortest / 2 - time.getAsLong();
        }
      }
      if (shortest == Long.MAX_VALUE) {
        return OptionalLong.empty();
      }
      return OptionalLong.of(Math.abs(offset) <= shortest / 2 + SAME_NANOS ? 0 : offset);
    }
  }

  /** Consumes all records; returns the time of the last one that reports a name. */
  private static OptionalLong newestName(PerfRing[] rings) {
    OptionalLong time = OptionalLong.empty();
    for (PerfRing ring : rings) {
      ring.readHead();
      while (!ring.isEmpty() && ring.isSound()) {
        if (ring.type() == RECORD_COMM) {
          time = OptionalLong.of(ring.getLong(ring.size() - TIME_FROM_END));
        }
        ring.take();
      }
    }
    return time;
  }
}
