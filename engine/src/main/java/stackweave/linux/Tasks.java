package stackweave.linux;

import java.io.File;
import java.io.IOException;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.proc.PlainFiles;
import stackweave.unwind.text.ModifiedUtf8;

/** The threads of a process, and this one's file descriptors, from /proc. Stateless. */
public final class Tasks {
  private Tasks() {}

  /**
   * The ids of all present threads, ascending as the kernel lists them; empty if /proc is not
   * mounted. A thread that ends or starts meanwhile may or may not be among them.
   */
  public static int[] list(SampledProcess process) {
    String[] names = new File(process.file("task")).list();
    if (names == null) {
      return new int[0];
    }
    int[] tids = new int[names.length];
    for (int i = 0; i < names.length; i++) {
      tids[i] = Integer.parseInt(names[i]);
    }
    return tids;
  }

  /** A thread's name in the kernel (at most 15 bytes), or null if the thread has ended. */
  public static String comm(SampledProcess process, int tid) {
    try {
      byte[] comm = PlainFiles.bytes(process.file("task/" + tid + "/comm"));
      return ModifiedUtf8.cut(comm, Math.max(0, comm.length - 1)); // a line end follows
    } catch (IOException e) {
      return null;
    }
  }

  /** How many file descriptors are open; −1 if /proc is not mounted. */
  public static int openFileDescriptors() {
    String[] names = new File("/proc/self/fd").list();
    // One of them is the directory being listed.
    return names == null ? -1 : names.length - 1;
  }
}
