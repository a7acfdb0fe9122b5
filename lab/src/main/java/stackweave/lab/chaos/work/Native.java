package stackweave.lab.chaos.work;

import java.nio.file.Path;
import stackweave.lab.Built;

/** The lab's {@code chaos.c, stacks.c, masks.c}, which say what each of these does. */
public final class Native {

  static {
    System.load(Built.library("chaos").toString());
  }

  private Native() {}

  public static native long work(long seed, int work);

  public static native long loadAndRun(String path, long seed, int work, int gapPages);

  public static native void forkAndWork(long seed, int work, long[] results);

  public static native void execute(int how, String program, String script, long[] results);

  public static native boolean allow(int tid, long cpus);

  public static native long allowed(int tid);

  public static native boolean renice(int tid, int nice);

  /** Calls {@code long again(long)} of the object, through C. */
  public static native long descend(Object overflows, long n);

  public static native long runOnPool(long seed, int work, boolean attached, boolean guards);

  public static native long runMasked(long seed, int work);

  /** One of the builds of {@code storm.c}. */
  public static Path storm(int build) {
    return Built.library("chaos-storm-" + build);
  }
}
