package stackweave.agent.jdk.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What {@link ThreadStartHook} takes of {@link StartedThreads}, with no Thread instrumented. */
class ThreadStartHookTest {
  private final List<Thread> taken = new ArrayList<>();
  private ThreadStartHook hook;

  @BeforeEach
  void begin() throws Exception {
    hook =
        new ThreadStartHook(
            MethodHandles.privateLookupIn(StartedThreads.class, MethodHandles.lookup()));
    hook.resume();
  }

  @AfterEach
  void stop() {
    hook.pause();
  }

  private static Thread started() {
    Thread thread = new Thread(() -> {});
    StartedThreads.add(thread);
    return thread;
  }

  @Test
  void takesEachThreadOnce() {
    List<Thread> all = List.of(started(), started());
    assertTrue(hook.take(taken::add));
    assertTrue(hook.take(taken::add));
    assertEquals(all, taken);
  }

  /** It is told once that some are missing; those that come later have room again. */
  @Test
  void whatFindsNoRoomIsMissing() {
    for (int i = 0; i < StartedThreads.CAPACITY + 3; i++) {
      started();
    }
    assertFalse(hook.take(taken::add));
    assertEquals(StartedThreads.CAPACITY, taken.size());
    taken.clear();
    Thread later = started();
    assertTrue(hook.take(taken::add));
    assertEquals(List.of(later), taken);
  }

  @Test
  void withoutAReaderNoThreadIsKept() {
    started();
    hook.pause();
    started();
    assertTrue(StartedThreads.QUEUE.isEmpty());
    hook.resume();
    assertTrue(hook.take(taken::add));
    assertEquals(List.of(), taken);
  }
}
