package stackweave.agent.jdk.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What {@link ThreadStartHook} takes of {@link StartedThreads}, with no Thread instrumented. */
class ThreadStartHookTest {
  private final List<Thread> taken = new ArrayList<>();

  @AfterEach
  void stop() throws Exception {
    hook().pause();
  }

  private static ThreadStartHook hook() throws Exception {
    return new ThreadStartHook(
        null, MethodHandles.privateLookupIn(StartedThreads.class, MethodHandles.lookup()));
  }

  private static Thread started() {
    Thread thread = new Thread(() -> {});
    StartedThreads.add(thread);
    return thread;
  }

  private static int nextSlot() {
    return StartedThreads.COUNT.get() & StartedThreads.CAPACITY - 1;
  }

  @Test
  void takesEachThreadOnce() throws Exception {
    ThreadStartHook hook = hook();
    hook.resume();
    List<Thread> all = List.of(started(), started());
    assertTrue(hook.take(taken::add));
    assertTrue(hook.take(taken::add));
    assertEquals(all.size(), taken.size());
    assertTrue(taken.containsAll(all));
  }

  /** One is between its number and its slot just when others overflow. */
  @Test
  void aThreadThatIsLateIsTakenThoughOthersWereMissed() throws Exception {
    ThreadStartHook hook = hook();
    hook.resume();
    int slot = nextSlot();
    StartedThreads.COUNT.incrementAndGet();
    for (int i = 0; i < StartedThreads.CAPACITY; i++) {
      started();
    }
    started();
    int other = nextSlot();
    StartedThreads.COUNT.incrementAndGet();
    assertFalse(hook.take(taken::add));
    assertEquals(StartedThreads.CAPACITY, taken.size());
    taken.clear();
    List<Thread> late = List.of(new Thread(() -> {}), new Thread(() -> {}));
    StartedThreads.SLOTS.set(slot, late.get(0));
    assertTrue(hook.take(taken::add));
    assertEquals(late.subList(0, 1), taken);
    StartedThreads.SLOTS.set(other, late.get(1));
    assertTrue(hook.take(taken::add));
    assertEquals(late, taken);
  }

  /** Which is seen by a thread that is in a slot and not counted. */
  @Test
  void whereNoneWasStartedNoSlotIsLookedAt() throws Exception {
    hook().resume();
    started();
    for (ThreadStartHook hook : List.of(hook(), hook())) {
      hook.resume();
      started();
      hook.pause();
      hook.resume();
      StartedThreads.SLOTS.set(nextSlot(), new Thread(() -> {}));
      assertTrue(hook.take(taken::add));
      assertEquals(List.of(), taken);
      hook.pause();
    }
  }

  @Test
  void whatWasLateForTheLastReaderIsNotCountedForTheNext() throws Exception {
    ThreadStartHook hook = hook();
    hook.resume();
    int slot = nextSlot();
    StartedThreads.COUNT.incrementAndGet();
    hook.pause();
    hook.resume();
    StartedThreads.SLOTS.set(slot, new Thread(() -> {}));
    Thread first = started();
    assertTrue(hook.take(taken::add));
    assertTrue(taken.contains(first));
    taken.clear();
    int late = nextSlot();
    StartedThreads.COUNT.incrementAndGet();
    assertTrue(hook.take(taken::add));
    Thread second = new Thread(() -> {});
    StartedThreads.SLOTS.set(late, second);
    assertTrue(hook.take(taken::add));
    assertEquals(List.of(second), taken);
  }
}
