package stackweave.agent.engine.perf;

import java.util.Arrays;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * The rings of several CPUs, as far as they could be opened. Whoever opens them closes them.
 *
 * @param errno why one could not be opened; 0 if all that are online were
 */
record PerfRings(PerfRing[] rings, int errno) {
  /**
   * Opens rings of one size.
   *
   * @param attr of the event that owns a ring
   * @param tid the thread that these events are of
   * @param dataBytes a power of two, at least a page
   */
  static PerfRings open(SystemCalls calls, NativeBuffer attr, int tid, int[] cpus, int dataBytes) {
    int pageSize = (int) Libc.sysconf(Libc.SC_PAGESIZE);
    PerfRing[] opened = new PerfRing[cpus.length];
    int count = 0;
    int errno = 0;
    for (int cpu : cpus) {
      int fd = calls.perfEventOpen(attr.address(), tid, cpu, -1, PerfEvents.FLAG_FD_CLOEXEC);
      if (fd < 0) {
        errno = Libc.errno();
        if (errno == Errno.ENODEV) {
          // The CPU is offline, so nothing runs there.
          errno = 0;
          continue;
        }
        break;
      }
      PerfRing ring = PerfRing.map(cpu, fd, pageSize, dataBytes);
      if (ring == null) {
        errno = Libc.errno();
        Libc.close(fd);
        break;
      }
      opened[count++] = ring;
    }
    return new PerfRings(
        Arrays.copyOf(opened, count), errno == 0 && count == 0 ? Errno.ENODEV : errno);
  }
}
