package stackweave.agent.jdk.label;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which scope {@link Contexts} has for a time, beside what the test knows of it. */
class ContextsTest {
  private static final long MINUTE_NANOS = 60_000_000_000L;

  @BeforeEach
  void begin() {
    Contexts.begin();
  }

  @AfterEach
  void end() {
    Contexts.end();
  }

  private static Runnable open(String... labels) {
    return Contexts.OPEN.apply(labels);
  }

  /** A time that no change has. */
  private static long now() {
    long now = System.nanoTime();
    while (System.nanoTime() - now < 2_000) {
      Thread.onSpinWait();
    }
    long middle = System.nanoTime();
    while (System.nanoTime() - middle < 2_000) {
      Thread.onSpinWait();
    }
    return middle;
  }

  private static Object at(long nanos) {
    return Contexts.at(Thread.currentThread(), nanos, 0);
  }

  @Test
  void aTimeIsInTheScopeThatWasOpenThen() {
    long before = now();
    Runnable outer = open("a", "1");
    long inOuter = now();
    Runnable inner = open("b", "2");
    long inInner = now();
    inner.run();
    long inOuterAgain = now();
    inner.run(); // again does nothing
    outer.run();
    long after = now();
    assertNull(at(before));
    assertSame(outer, at(inOuter));
    assertSame(inner, at(inInner));
    assertSame(outer, at(inOuterAgain));
    assertNull(at(after));
    String[][] labels = ContextScope.labels(inner);
    assertEquals(List.of("b", "2"), List.of(labels[0]));
    assertEquals(List.of("a", "1"), List.of(labels[1]));
    assertEquals(2, labels.length);
  }

  @Test
  void aTimeCloseToAChangeIsNotKnown() {
    Runnable scope = open("a", "1");
    long inside = now();
    scope.run();
    Thread thread = Thread.currentThread();
    assertSame(scope, Contexts.at(thread, inside, 100));
    assertSame(Contexts.UNKNOWN, Contexts.at(thread, inside, MINUTE_NANOS));
    assertSame(Contexts.UNKNOWN, Contexts.at(thread, inside, Long.MAX_VALUE));
  }

  @Test
  void whatIsForgottenIsNotKnown() {
    Runnable first = open("a", "1");
    long inFirst = now();
    first.run();
    for (int i = 0; i < Contexts.PLATFORM_HISTORY / 2 - 2; i++) {
      open("b", "2").run();
    }
    assertSame(first, at(inFirst));
    open("b", "2").run();
    open("b", "2").run();
    assertSame(Contexts.UNKNOWN, at(inFirst));
    assertNull(at(now()));
  }

  @Test
  void scopesThatAreClosedInAnotherOrderEndAllTheSame() {
    Runnable outer = open("a", "1");
    Runnable inner = open("b", "2");
    outer.run();
    long inInner = now();
    inner.run();
    assertSame(inner, at(inInner));
    assertNull(at(now()));
  }

  @Test
  void aScopeThatAnotherThreadClosesLabelsNothing() throws InterruptedException {
    Runnable scope = open("a", "1");
    Thread other = new Thread(scope);
    other.start();
    other.join();
    assertNull(ContextScope.labels(at(now())));
    Runnable next = open("b", "2");
    assertSame(next, at(now()));
    assertEquals(1, ContextScope.labels(next).length, "without the scope that was closed");
    next.run();
    assertNull(at(now()));
  }

  @Test
  void whatWasNotedOfAScopeCountsNoMoreOnceAnotherThreadHasClosedIt() throws InterruptedException {
    long key = Contexts.KEYS.incrementAndGet();
    Runnable outer = open("a", "1");
    Runnable inner = open("b", "2");
    ContextScope.note(outer, key, 7);
    ContextScope.note(inner, key, 8);
    assertEquals(7, ContextScope.noted(outer, key));
    Thread other = new Thread(outer);
    other.start();
    other.join();
    assertEquals(0, ContextScope.noted(outer, key));
    assertEquals(0, ContextScope.noted(inner, key), "it has the outer one's labels");
    String[][] labels = ContextScope.labels(inner);
    assertEquals(List.of("b", "2"), List.of(labels[0]));
    assertEquals(List.of(), List.of(labels[1]));
    inner.run();
    assertNull(at(now()));
  }

  @Test
  void aScopeThatIsClosedBeforeAnInnerOneLabelsNoLaterOne() {
    Runnable outer = open("a", "1");
    Runnable inner = open("b", "2");
    outer.run();
    Runnable later = open("c", "3");
    String[][] labels = ContextScope.labels(later);
    assertEquals(List.of("c", "3"), List.of(labels[0]));
    assertEquals(List.of("b", "2"), List.of(labels[1]));
    assertEquals(List.of(), List.of(labels[2]));
    later.run();
    inner.run();
    assertNull(at(now()));
  }

  @Test
  void scopesThatAreNeverClosedAreNotKept() {
    ContextScope last = (ContextScope) open("a", "1");
    for (int i = 0; i < 3 * ContextScope.MAX_NESTED; i++) {
      last = (ContextScope) open("a", "1");
    }
    int kept = 0;
    for (ContextScope each = last; each != null; each = each.outer) {
      kept++;
    }
    assertTrue(kept <= ContextScope.MAX_NESTED + 1, () -> "scopes that are reachable");
  }

  /** The id of its thread in the OS may be another's. */
  @Test
  void aScopeThatItsThreadLeavesOpenEndsWithIt() throws InterruptedException {
    long[] inside = new long[1];
    Thread thread =
        new Thread(
            () -> {
              open("a", "1");
              inside[0] = now();
            });
    thread.start();
    thread.join();
    assertSame(Contexts.UNKNOWN, Contexts.at(thread, inside[0], 0));
  }

  @Test
  void scopesOfAnotherPeriodOfSamplingLabelNothing() {
    Runnable old = open("a", "1");
    Contexts.end();
    assertNull(open("b", "2"));
    Contexts.begin();
    assertNull(at(now()));
    Runnable next = open("c", "3");
    assertEquals(1, ContextScope.labels(next).length);
    next.run();
    old.run();
    assertNull(at(now()));
  }

  @Test
  void moreThreadsThanThereIsRoomForHaveNoLabels() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    AtomicBoolean isWrong = new AtomicBoolean();
    for (int i = 0; i < 300; i++) {
      Thread thread =
          new Thread(
              () -> {
                Runnable scope = open("a", "1");
                if (scope != null) {
                  isWrong.compareAndSet(false, at(now()) != scope);
                  scope.run();
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertTrue(!isWrong.get(), "another thread's scope");
    Contexts.sweep();
  }

  /** What the drain thread does, while the thread goes on and overwrites its history. */
  @Test
  void aReaderBesideTheThreadGetsTheTruthOrNothing() throws InterruptedException {
    record Seen(long nanos, Runnable scope) {}
    // As long as the history, so that it is overwritten while it is read.
    BlockingQueue<Seen> seen = new ArrayBlockingQueue<>(Contexts.PLATFORM_HISTORY);
    AtomicBoolean isOver = new AtomicBoolean();
    Thread thread =
        new Thread(
            () -> {
              while (!isOver.get()) {
                Runnable outer = open("a", "1");
                seen.offer(new Seen(System.nanoTime(), outer));
                Runnable inner = open("b", "2");
                seen.offer(new Seen(System.nanoTime(), inner));
                inner.run();
                seen.offer(new Seen(System.nanoTime(), outer));
                outer.run();
                seen.offer(new Seen(System.nanoTime(), null));
              }
            });
    thread.start();
    int known = 0;
    for (int i = 0; i < 200_000; i++) {
      Seen next = seen.poll(1, TimeUnit.MINUTES);
      Object found = Contexts.at(thread, next.nanos, 0);
      if (found != Contexts.UNKNOWN) {
        assertSame(next.scope, found);
        known++;
      }
    }
    isOver.set(true);
    thread.join();
    assertTrue(known > 0, "never known");
  }
}
