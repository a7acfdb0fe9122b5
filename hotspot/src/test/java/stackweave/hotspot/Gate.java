package stackweave.hotspot;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * Where a stack stands still; until then everything can be warmed up through it. What {@link
 * StackWalker} says of the stack is kept. Not to be inlined (an option of {@link ParkedStacks}'s
 * JVM): its callers then have no code for a closed gate, which would make them interpreted.
 */
final class Gate {
  private static final StackWalker WALKER =
      StackWalker.getInstance(
          Set.of(
              StackWalker.Option.RETAIN_CLASS_REFERENCE, // or there are no descriptors
              StackWalker.Option.SHOW_HIDDEN_FRAMES,
              StackWalker.Option.SHOW_REFLECT_FRAMES));

  final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  volatile boolean closed;
  private List<String> callers = List.of();
  private int passed;

  void await() {
    if (!closed) {
      passed++;
      return;
    }
    callers =
        WALKER.walk(
            frames ->
                frames
                    .skip(1)
                    .map(
                        f ->
                            text(
                                f.getClassName(),
                                f.getMethodName(),
                                f.getDescriptor(),
                                f.getLineNumber(),
                                f.getByteCodeIndex()))
                    .collect(Collectors.toList()));
    reached.countDown();
    while (closed) {
      LockSupport.park(this);
    }
  }

  /** Passes {@code times} times, then is closed: without another branch at the caller. */
  void awaitAt(int times) {
    if (passed < times) {
      passed++;
      return;
    }
    closed = true;
    await();
  }

  /** For stacks that stand still elsewhere: says that this one will in a moment. */
  void block() {
    reached.countDown();
  }

  /** The frames outside of {@link #await}, innermost first; empty if none waits there. */
  List<String> callers() {
    return callers;
  }

  /** For those who keep others waiting until the end. */
  void awaitOpen() throws InterruptedException {
    opened.await();
  }

  void open(Thread thread) {
    closed = false;
    opened.countDown();
    LockSupport.unpark(thread);
    thread.interrupt();
  }

  static String text(String className, String name, String descriptor, int line, int bci) {
    return className + "." + name + descriptor + ":" + Math.max(-1, line) + "@" + Math.max(-1, bci);
  }
}
