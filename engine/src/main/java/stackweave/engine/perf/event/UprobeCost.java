package stackweave.engine.perf.event;

import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.file.Path;
import stackweave.linux.CpuTime;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;

/**
 * What a uprobe adds to each call of a function on this machine: a microsecond, and in virtual
 * machines whose processor gives single steps to the hypervisor up to 20. Stateless.
 */
public final class UprobeCost {
  private static final int ROUNDS = 16;
  private static final int CALLS = 4;

  /** The measured cost; negative before. Used by the drain thread. */
  private static double known = -1;

  private UprobeCost() {}

  /**
   * Measures it once, with the C library's getpid, which is rarely called, on the calling thread,
   * within a millisecond. For the drain thread.
   *
   * @param type of a uprobe's event
   * @return in ns; 0 if none can be placed
   */
  public static double nanos(SystemCalls calls, int type) {
    if (known < 0) {
      known = measure(calls, type);
    }
    return known;
  }

  private static double measure(SystemCalls calls, int type) {
    try (KernelEvent event = ofGetpid(type);
        CpuTime time = new CpuTime()) {
      double without = callNanos(time, Libc::getpid);
      if (event == null) {
        return 0;
      }
      int fd = event.openCounting(calls, calls.gettid());
      if (fd < 0) {
        return 0;
      }
      try {
        return Math.max(0, callNanos(time, Libc::getpid) - without);
      } finally {
        Libc.close(fd);
      }
    } catch (IOException e) {
      return 0;
    }
  }

  /** Null if it is not in a file. */
  private static KernelEvent ofGetpid(int type) throws IOException {
    long address;
    try (NativeLibrary process = NativeLibrary.getProcess()) {
      address = Pointer.nativeValue(process.getFunction("getpid"));
    }
    for (Mapping mapping : ProcMaps.read(Path.of("/proc/self"))) {
      boolean isIn = mapping.start() <= address && address < mapping.end();
      if (isIn && mapping.isFile() && !mapping.deleted()) {
        long offset = address - mapping.start() + mapping.offset();
        return new KernelEvent(type, 0, NativeBuffer.path(mapping.path()), offset, false);
      }
    }
    return null;
  }

  /** CPU time of a call on this thread, in ns: the least of several measurements. */
  public static double callNanos(CpuTime time, Runnable call) {
    double best = Double.MAX_VALUE;
    for (int i = 0; i < ROUNDS; i++) {
      long begin = time.ofThread();
      for (int j = 0; j < CALLS; j++) {
        call.run();
      }
      best = Math.min(best, (time.ofThread() - begin) / (double) CALLS);
    }
    return best;
  }
}
