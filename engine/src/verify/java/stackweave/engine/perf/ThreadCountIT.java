package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import stackweave.engine.OwnJvm;
import stackweave.testing.Commands;

/** The number of threads is known where no file descriptor is left. */
class ThreadCountIT {
  private static final int THREADS = 100;

  @Test
  void threadsAreCountedWithoutADescriptor() throws Exception {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n 60 && exec \"$@\"", "sh"));
    command.addAll(OwnJvm.command(ThreadCountIT.class));
    int counted = Integer.parseInt(Commands.output(command).strip());
    assertTrue(counted > THREADS, "counted: " + counted);
  }

  public static void main(String[] arguments) throws Exception {
    PerfBudget budget = new PerfBudget(1);
    budget.threads();
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
    System.out.println(counted);
    end.countDown();
  }
}
