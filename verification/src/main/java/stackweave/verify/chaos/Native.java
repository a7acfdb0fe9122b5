package stackweave.verify.chaos;

import java.nio.file.Path;
import stackweave.verify.NativeLibraries;

/** The lab's {@code chaos.c, stacks.c, masks.c}, which say what each of these does. */
final class Native {

  static {
    System.load(NativeLibraries.library("chaos").toString());
  }

  private Native() {}

  static native long work(long seed, int work);

  static native long loadAndRun(String path, long seed, int work, int gapPages);

  static native void forkAndWork(long seed, int work, long[] results);

  static native void execute(int how, String program, String script, long[] results);

  static native boolean allow(int tid, long cpus);

  static native long allowed(int tid);

  static native boolean renice(int tid, int nice);

  static native long descend(StackOverflows overflows, long n);

  static native long runOnPool(long seed, int work, boolean attached, boolean guards);

  static native long runMasked(long seed, int work);

  /** One of the builds of {@code storm.c}. */
  static Path storm(int build) {
    return NativeLibraries.library("chaos-storm-" + build);
  }
}
