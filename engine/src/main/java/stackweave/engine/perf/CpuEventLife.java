package stackweave.engine.perf;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;

/**
 * Tells when CPUs are back whose events have ended. The kernel ends them when a CPU goes offline,
 * and tells nobody (perf_event_exit_cpu_context in kernel/events/core.c): polls, reads and ioctls
 * go on as before, and when the CPU is back nothing comes from there. A machine that is suspended
 * takes all CPUs but one offline while no process runs, so to look whether they are there does not
 * tell it. But an event of a CPU's clock counts as long as the CPU is there, and one that has ended
 * does not. For the drain thread.
 */
final class CpuEventLife implements AutoCloseable {
  private final PerfRing[] rings;
  private final int[] fds;
  private final boolean areOwned;
  private final IntUnaryOperator opener;
  private final long[] counts;
  private final NativeBuffer scratch = NativeBuffer.allocate(16);

  private CpuEventLife(PerfRing[] rings, int[] fds, boolean areOwned, IntUnaryOperator opener) {
    this.opener = opener;
    this.rings = rings;
    this.fds = fds;
    this.areOwned = areOwned;
    this.counts = new long[fds.length];
  }

  /**
   * Begins.
   *
   * @param rings of the CPUs' events, enabled before {@link #isAnyBack} is called
   * @param areCounting whether these events count all the time, whatever runs
   * @param opener opens an event that does on a CPU
   * @throws EngineRefusedException if it can't open one
   */
  static CpuEventLife of(PerfRing[] rings, boolean areCounting, IntUnaryOperator opener)
      throws EngineRefusedException {
    int[] fds = new int[rings.length];
    CpuEventLife life = new CpuEventLife(rings, fds, !areCounting, opener);
    for (int i = 0; i < fds.length; i++) {
      fds[i] = areCounting ? rings[i].fd() : opener.applyAsInt(rings[i].cpu());
      // A CPU that has just gone offline has none, and reads of it fail.
      if (fds[i] < 0 && Libc.errno() != Errno.ENODEV) {
        int errno = Libc.errno();
        Arrays.fill(fds, i, fds.length, -1);
        life.close();
        throw PerfRefusals.open(EngineKind.PERF, true, errno);
      }
    }
    return life;
  }

  /**
   * Whether a CPU is online whose event has not counted since the last call. A read interrupts its
   * CPU for some microseconds.
   */
  boolean isAnyBack() {
    boolean isAnyBack = false;
    for (int i = 0; i < fds.length; i++) {
      // 16 bytes where the number of lost records follows
      boolean isRead = Libc.read(fds[i], scratch.address(), 16) >= Long.BYTES;
      long count = isRead ? scratch.bytes().getLong(0) : counts[i];
      isAnyBack |= count == counts[i] && isOnline(rings[i].cpu());
      counts[i] = count;
    }
    return isAnyBack;
  }

  private boolean isOnline(int cpu) {
    int fd = opener.applyAsInt(cpu);
    return fd >= 0 && Libc.close(fd) == 0;
  }

  int fileDescriptors() {
    return areOwned ? fds.length : 0;
  }

  @Override
  public void close() {
    if (areOwned) {
      close(fds);
    }
    scratch.close();
  }

  private static void close(int[] fds) {
    for (int fd : fds) {
      if (fd >= 0) {
        Libc.close(fd);
      }
    }
  }
}
