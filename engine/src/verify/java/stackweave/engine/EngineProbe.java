package stackweave.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Libc;
import stackweave.linux.MemoryAccess;
import stackweave.linux.NativeBuffer;
import stackweave.linux.ProcessMemory;
import stackweave.linux.Tasks;
import stackweave.unwind.UnreadableMemoryException;

/**
 * An application for {@link EngineJvm}: idle threads, then two busy ones beside an engine; says
 * what came of it.
 */
final class EngineProbe {
  private EngineProbe() {}

  /**
   * Arguments: interval in µs, CPU time of each busy thread in ms, number of idle threads
   * (negative: of threads that start others all the while), and then the engine to try first (or
   * {@code AUTO}), and anything fifth for another one of its kind that runs all the while.
   */
  public static void main(String[] args) throws Exception {
    EngineKind preferred =
        args.length > 3 && !args[3].equals("AUTO") ? EngineKind.valueOf(args[3]) : null;
    if (args.length > 4) {
      EngineConfig first = config(10_000_000, preferred);
      Recorder beside =
          Recorder.record(first, () -> main(new String[] {args[0], args[1], args[2], args[3]}));
      System.out.println("beside: " + beside.statistics);
      return;
    }
    long interval = Long.parseLong(args[0]) * 1000;
    long cpu = Long.parseLong(args[1]) * 1_000_000;
    CountDownLatch end = new CountDownLatch(1);
    for (int i = Integer.parseInt(args[2]); i > 0; i--) {
      Thread idle = new Thread(() -> await(end), "idle " + i);
      idle.setDaemon(true);
      idle.start();
    }
    for (int i = Integer.parseInt(args[2]); i < 0; i++) {
      Thread churning = new Thread(EngineProbe::churn, "churns " + i);
      churning.setDaemon(true);
      churning.start();
    }
    List<Burner> burners = new ArrayList<>();
    long[] since = {0};
    long[] before = {0, 0};
    Recorder recorder = new Recorder();
    recorder.run(
        config(interval, preferred),
        () -> {
          burners.add(Burner.start("one", Long.MAX_VALUE));
          burners.add(Burner.start("two", Long.MAX_VALUE));
          System.out.println("opened: " + openHalf());
          if (recorder.choice.engine().isPresent()) {
            for (Burner burner : burners) {
              recorder.awaitSample(burner);
            }
          }
          since[0] = System.nanoTime();
          before[0] = used(burners);
          before[1] = stolen(burners);
          for (Burner burner : burners) {
            burner.endAfter(cpu);
          }
          for (Burner burner : burners) {
            burner.join();
          }
        });
    end.countDown();
    for (EngineRefusal refusal : recorder.choice.refusals()) {
      System.out.println("refusal: " + refusal.reason() + " " + refusal.line());
    }
    System.out.println(
        "engine: "
            + recorder.choice.engine().map(engine -> engine.description().kind()).orElse(null));
    if (recorder.statistics != null) {
      // What the rings lost is stated: on a loaded machine it may be some.
      double lost = (double) recorder.statistics.get(EngineFigure.LOST) * interval;
      long covered = burners.stream().mapToLong(b -> recorder.covered(b, since[0])).sum();
      double used = used(burners) - before[0];
      System.out.println("covered: " + covered / used);
      System.out.println("explained: " + (covered + lost + stolen(burners) - before[1]) / used);
    }
    System.out.println(
        "withKernel: " + recorder.samples.stream().filter(s -> s.kernelFrames() > 0).count());
    System.out.println("statistics: " + recorder.statistics);
    try (ProcessMemory asked =
        new ProcessMemory(SampledProcess.OWN, MemoryAccess.PROCESS_VM_READV)) {
      System.out.println("denial of the asked: " + asked.denial());
      System.out.println("way as asked: " + asked.way());
    }
    try (ProcessMemory memory = new ProcessMemory();
        NativeBuffer buffer = NativeBuffer.allocate(4096)) {
      buffer.bytes().putLong(0, 0x1234_5678L);
      System.out.println("denial: " + memory.denial());
      System.out.println("way: " + memory.way());
      System.out.println("memory: " + Long.toHexString(memory.readLong(buffer.address())));
    } catch (UnreadableMemoryException e) {
      System.out.println("memory: " + e.reason());
    }
    System.out.println("application: done");
  }

  /** Opens half of the descriptors that are free (of 4096 at most), and closes them again. */
  private static String openHalf() {
    long limit;
    try (NativeBuffer two = NativeBuffer.allocate(16)) {
      Libc.getrlimit(Libc.RLIMIT_NOFILE, two.address());
      limit = Math.min(4096, two.bytes().getLong(0));
    }
    int wanted = (int) Math.max(0, limit - Tasks.openFileDescriptors()) / 2;
    int[] fds = new int[wanted];
    int opened = 0;
    while (opened < wanted) {
      fds[opened] = Libc.open("/dev/null", Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
      if (fds[opened] < 0) {
        break;
      }
      opened++;
    }
    for (int i = 0; i < opened; i++) {
      Libc.close(fds[i]);
    }
    return opened + " of " + wanted;
  }

  private static EngineConfig config(long interval, EngineKind preferred) {
    return new EngineConfig(interval, EngineConfig.MAX_STACK_BYTES, preferred);
  }

  private static long used(List<Burner> burners) {
    return burners.stream().mapToLong(burner -> burner.used).sum();
  }

  private static long stolen(List<Burner> burners) {
    return burners.stream().mapToLong(burner -> burner.stolen).sum();
  }

  private static void churn() {
    try {
      while (true) {
        Thread brief = new Thread(() -> {});
        brief.start();
        brief.join();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
