package stackweave.jfr.store;

import java.util.ArrayList;
import java.util.List;

/**
 * A made-up program of 2,000 stacks, 30 to 109 frames deep: what is written and what must be read
 * follow from a sample's number alone.
 */
public final class SyntheticStacks {
  public static final int STACKS = 2_000;
  public static final SessionInfo SESSION =
      new SessionInfo(
          "0.1-test",
          "x86_64-linux-gnu",
          Unpooled.legend(
              "0=native,1=kernel,2=interpreted,3=C1,4=C2,5=inlined,6=native method,7=stub,8=unknown,9=continuation"),
          Unpooled.legend("0=complete,1=thread entry,2=truncated,3=unreadable memory"),
          "0,1",
          "0=running");

  private static final int NATIVE = 0;
  private static final int C2 = 4;

  private SyntheticStacks() {}

  public static int depth(long number) {
    return 30 + (int) ((number % STACKS) * 7 % 80);
  }

  /** The inner 25 frames are a stack's own, as in real recordings; the outer ones are shared. */
  private static int methodNumber(long number, int frame) {
    long stack = number % STACKS;
    return frame < depth(number) - 25 ? frame : 100 + (int) ((stack * 7_919 + frame * 31L) % 701);
  }

  private static boolean isNative(int method) {
    return method % 3 == 0;
  }

  public static long threadId(long number) {
    return 1_000 + number % 7;
  }

  public static int endCode(long number) {
    return number % STACKS % 50 == 0 ? 2 : 0;
  }

  /** Writes what stands before the sample itself; the id of the innermost frame. */
  static long intern(EventStore store, long number) {
    store.beginStack();
    long module =
        store.module(
            new ModuleDefinition(
                "/usr/lib/libc.so.6", "c0ffee", 0x7000, 0x9000, "eh_frame", "no .sframe", 3, ""));
    long node = EventStore.ROOT;
    int depth = depth(number);
    for (int frame = 0; frame < depth; frame++) {
      int method = methodNumber(number, frame);
      long id =
          isNative(method)
              ? store.method(MethodDefinition.symbol(module, "symbol" + method, 16L * method))
              : store.method(
                  MethodDefinition.java(
                      "com.example.deep.Type" + method % 50,
                      "method" + method,
                      "(I)V",
                      1,
                      "T.java"));
      node =
          store.node(node, id, isNative(method) ? NATIVE : C2, isNative(method) ? -1 : method, 4);
    }
    return node;
  }

  static long thread(EventStore store, long number) {
    long tid = threadId(number);
    return store.thread(tid, "worker-" + tid, tid + 10, false, 0, null);
  }

  /** The line of the innermost frame of Java. */
  public static int innermostLine(long number) {
    int frame = depth(number) - 1;
    while (isNative(methodNumber(number, frame))) {
      frame--;
    }
    return methodNumber(number, frame);
  }

  /** The frames that a reader must find. */
  public static List<String> expected(long number) {
    List<String> frames = new ArrayList<>();
    int depth = depth(number);
    for (int frame = 0; frame < depth; frame++) {
      int method = methodNumber(number, frame);
      frames.add(
          isNative(method)
              ? "symbol" + method + " [libc.so.6]"
              : "com.example.deep.Type" + method % 50 + ".method" + method);
    }
    return frames;
  }
}
