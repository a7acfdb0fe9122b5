package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import stackweave.engine.OwnJvm;
import stackweave.jfr.control.EngineKind;
import stackweave.testing.Commands;

/** What the budget does where file descriptors are few. */
class FewDescriptorsIT {
  private static final int THREADS = 100;
  private static final long MINUTE = 60_000_000_000L;

  @Test
  void threadsAreCountedWithoutAnyAndPerfIsNotTriedInVain() throws Exception {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n 60 && exec \"$@\"", "sh"));
    command.addAll(OwnJvm.command(FewDescriptorsIT.class));
    String[] said = Commands.output(command).strip().split(" ");
    assertTrue(Integer.parseInt(said[0]) > THREADS, "counted: " + said[0]);
    assertEquals("false", said[1], "each thread needs a descriptor");
  }

  public static void main(String[] arguments) throws Exception {
    PerfBudget budget = new PerfBudget(PerfBudget.DEFAULT_BYTES);
    budget.admit(EngineKind.PERF_THREAD, 1, 0);
    CountDownLatch end = new CountDownLatch(1);
    Runnable work =
        () -> {
          try {
            end.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    List<FileInputStream> all = new ArrayList<>();
    try {
      while (true) {
        all.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      for (int i = 0; i < THREADS; i++) {
        new Thread(work).start();
      }
    }
    int counted = budget.threads();
    for (FileInputStream each : all) {
      each.close();
    }
    System.out.println(counted + " " + budget.isFreeAgain(MINUTE));
    end.countDown();
  }
}
