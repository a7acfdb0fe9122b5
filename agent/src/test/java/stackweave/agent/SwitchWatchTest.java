package stackweave.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is known of a switch file that is looked for on another thread. */
@Timeout(60)
class SwitchWatchTest {
  private static final Path FILE = Path.of("/tmp/.stackweave-1/off");
  private static final Path OTHER = Path.of("/run/stackweave-1/off");

  @Test
  void theLastAnswerHoldsWhereThereIsNone() throws Exception {
    BlockingQueue<Path> known = new LinkedBlockingQueue<>();
    AtomicReference<SwitchWatch> watch = new AtomicReference<>();
    int[] looks = new int[1];
    watch.set(
        new SwitchWatch(
            () -> {
              if (looks[0] > 0) {
                known.add(watch.get().file());
              }
              return switch (looks[0]++) {
                case 0 -> FILE;
                case 1 -> throw new IOException("does not answer");
                case 2 -> throw new IllegalStateException();
                default -> OTHER;
              };
            },
            200));
    assertEquals(FILE, watch.get().file());
    List<Path> before = Arrays.asList(known.take(), known.take(), known.take(), known.take());
    assertEquals(List.of(FILE, FILE, FILE, OTHER), before);
    assertTrue(watch.get().end());
  }

  @Test
  void whoHangsIsNotWaitedFor() {
    CountDownLatch never = new CountDownLatch(1);
    SwitchWatch watch =
        new SwitchWatch(
            () -> {
              try {
                never.await();
              } catch (InterruptedException e) {
                return null;
              }
              return FILE;
            });
    assertNull(watch.file());
    assertFalse(watch.end());
    never.countDown();
  }
}
