package stackweave.lab.zoo.app;

import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.Random;
import stackweave.samples.work.Round;

/** JNA: the C library's qsort, which calls Java back, through libffi's calls and closures. */
final class JnaRound implements Round {
  private static final int COUNT = 400;

  /** The comparison that qsort calls. */
  public interface Comparison extends Callback {
    int compare(Pointer a, Pointer b);
  }

  /** By an interface's proxy. */
  public interface Sorting extends Library {
    void qsort(Pointer array, long count, long size, Comparison comparison);
  }

  /** By a native method that JNA registers. */
  public static final class Direct {
    static {
      Native.register("c");
    }

    private Direct() {}

    static native void qsort(Pointer array, long count, long size, Comparison comparison);
  }

  private final boolean direct;
  private final Comparison comparison = JnaRound::compare;
  private Sorting sorting;
  private Memory array;

  JnaRound(boolean direct) {
    this.direct = direct;
  }

  @Override
  public long run() {
    if (array == null) {
      array = new Memory(4L * COUNT);
      sorting = direct ? null : Native.load("c", Sorting.class);
    }
    Random random = new Random(1);
    for (int i = 0; i < COUNT; i++) {
      array.setInt(4L * i, random.nextInt(1_000_000));
    }
    if (direct) {
      Direct.qsort(array, COUNT, 4, comparison);
    } else {
      sorting.qsort(array, COUNT, 4, comparison);
    }
    return array.getInt(0) + array.getInt(4L * COUNT / 2);
  }

  private static int compare(Pointer a, Pointer b) {
    return Integer.compare(a.getInt(0), b.getInt(0));
  }
}
