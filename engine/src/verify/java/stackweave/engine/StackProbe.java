package stackweave.engine;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import stackweave.jfr.control.EngineKind;

/**
 * An application for {@link EngineJvm}: runs functions of stacks.c beside the timer engine and says
 * of the samples of each one's thread how many have a stack, on the thread's own and on others.
 */
public final class StackProbe {
  private StackProbe() {}

  /** Arguments: the library, CPU time of each thread in ms, and the functions. */
  public static void main(String[] args) throws Exception {
    NativeLibrary library = NativeLibrary.getInstance(args[0]);
    int millis = Integer.parseInt(args[1]);
    for (int i = 2; i < args.length; i++) {
      run(library, args[i], millis);
    }
    System.out.println("application: done");
  }

  private static void run(NativeLibrary library, String name, int millis) throws Exception {
    Function function = library.getFunction(name);
    EngineConfig config =
        new EngineConfig(1_000_000, EngineConfig.MAX_STACK_BYTES, EngineKind.TIMER);
    int[] result = {0};
    boolean[] passedOver = {false};
    Recorder recorder = new Recorder();
    recorder.onStep = engine -> passedOver[0] |= engine.note().contains("may not fit");
    recorder.run(
        config,
        () -> {
          Thread thread = new Thread(() -> result[0] = function.invokeInt(new Object[] {millis}));
          thread.start();
          thread.join();
        });
    int tid = library.getFunction("last_tid").invokeInt(new Object[0]);
    long low = library.getFunction("stack_low").invokeLong(new Object[0]);
    long high = library.getFunction("stack_high").invokeLong(new Object[0]);
    int[] counts = new int[4];
    for (Recorder.Sample sample : recorder.samples) {
      if (sample.tid() == tid) {
        int there = sample.sp() >= low && sample.sp() < high ? 0 : 2;
        counts[there + (sample.stackBytes() > 0 ? 0 : 1)]++;
      }
    }
    System.out.println(
        name
            + ": "
            + (low == -1 ? "not here" : "result " + result[0])
            + String.format(
                ", there %d with and %d without, elsewhere %d with and %d without stack",
                counts[0], counts[1], counts[2], counts[3]));
    System.out.println("passed over: " + passedOver[0]);
    System.out.println(
        "engine: "
            + recorder.choice.engine().map(engine -> engine.description().kind()).orElse(null));
  }
}
