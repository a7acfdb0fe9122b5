package stackweave.lab.overhead;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import stackweave.lab.CpuTime;

/**
 * The JVM that is measured: its workers work, and the main thread takes the windows.
 *
 * <p>Standard output is {@link Window#COLUMNS} and a line for each window.
 */
final class MeasuredJvm {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

  /** Time for the compilers to finish, at the start. */
  private static final long WARM_UP_MILLIS = 5_000;

  /** Length of each kind's first window, before anything is measured. */
  private static final long FIRST_MILLIS = 1_000;

  /**
   * The same for the agent, which is Java code and has to be compiled; what that costs is in the
   * footprints.
   */
  private static final long FIRST_OF_AGENT_MILLIS = 8_000;

  /**
   * Sampling interval of these first windows, whatever that of the others: compilers count calls.
   */
  private static final long FIRST_INTERVAL_NANOS = 1_000_000;

  /** Time after a start in which the first stacks fill the caches. */
  private static final long SETTLE_MILLIS = 400;

  /**
   * After that, a window begins when no compilation has ended for so long, or after a longest wait.
   */
  private static final long COMPILED_MILLIS = 200;

  private static final long MAX_SETTLE_MILLIS = 2_000;

  /** Time after the end of sampling. */
  private static final long CALM_MILLIS = 100;

  private final Plan plan;
  private final List<Worker> workers = new ArrayList<>();
  private final Profiling profiling;

  /**
   * What to measure.
   *
   * @param directory for recordings
   * @param blocks in each of which every kind has a window
   * @param seconds of a window
   */
  record Plan(
      Path directory,
      Path agent,
      List<WindowKind> kinds,
      int blocks,
      double seconds,
      long intervalNanos,
      String engine) {

    List<String> arguments() {
      return List.of(
          directory.toString(),
          agent.toString(),
          WindowKind.list(kinds),
          Integer.toString(blocks),
          Double.toString(seconds),
          Long.toString(intervalNanos),
          engine);
    }

    static Plan of(String[] arguments) {
      return new Plan(
          Path.of(arguments[0]),
          Path.of(arguments[1]),
          WindowKind.listOf(arguments[2]),
          Integer.parseInt(arguments[3]),
          Double.parseDouble(arguments[4]),
          Long.parseLong(arguments[5]),
          arguments[6]);
    }
  }

  private MeasuredJvm(Plan plan) {
    this.plan = plan;
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      workers.add(new Worker(i));
    }
    this.profiling = new Profiling(plan.intervalNanos(), plan.engine(), plan.agent(), workers);
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    new MeasuredJvm(Plan.of(arguments)).run(System.out);
    System.exit(0);
  }

  private void run(PrintStream out) throws IOException, InterruptedException {
    workers.forEach(Worker::start);
    Thread.sleep(WARM_UP_MILLIS);
    Profiling first = new Profiling(FIRST_INTERVAL_NANOS, plan.engine(), plan.agent(), workers);
    for (WindowKind kind : plan.kinds()) {
      Path file = plan.directory().resolve("first.jfr");
      first.start(kind, file);
      Thread.sleep(kind == WindowKind.STACKWEAVE ? FIRST_OF_AGENT_MILLIS : FIRST_MILLIS);
      first.stop(kind);
      Files.deleteIfExists(file);
    }
    Thread.sleep(MAX_SETTLE_MILLIS);
    out.println(Window.COLUMNS);
    int number = 0;
    for (WindowKind kind : order()) {
      out.println(window(number++, kind).line());
    }
  }

  /**
   * Every kind once a block, in random order, with a dormant window after two others at most: all
   * windows have one before and one behind them.
   */
  private List<WindowKind> order() {
    Random random = new Random(plan.intervalNanos());
    List<WindowKind> order = new ArrayList<>(List.of(WindowKind.DORMANT));
    for (int block = 0; block < plan.blocks(); block++) {
      List<WindowKind> kinds = new ArrayList<>(plan.kinds());
      Collections.shuffle(kinds, random);
      for (int i = 0; i < kinds.size(); i++) {
        order.add(kinds.get(i));
        if (i % 2 == 1 || i == kinds.size() - 1) {
          order.add(WindowKind.DORMANT);
        }
      }
    }
    return order;
  }

  private Window window(int number, WindowKind kind) throws IOException, InterruptedException {
    Path file = plan.directory().resolve("%04d-%s.jfr".formatted(number, kind.label()));
    profiling.start(kind, file);
    settle(kind);
    long drain = AgentState.drainThread();
    Mark begin = mark(drain);
    Thread.sleep((long) (1_000 * plan.seconds()));
    Mark end = mark(drain);
    profiling.stop(kind);
    Thread.sleep(CALM_MILLIS);
    return new Window(
        number,
        kind,
        begin.nanos,
        end.nanos,
        end.operations - begin.operations,
        end.operationNanos - begin.operationNanos,
        end.workerNanos - begin.workerNanos,
        end.processNanos - begin.processNanos,
        end.drainNanos - begin.drainNanos,
        Files.exists(file) ? file.getFileName().toString() : "");
  }

  /** A start is code that runs seldom, and the compilers are behind with it for a while. */
  private static void settle(WindowKind kind) throws InterruptedException {
    if (kind == WindowKind.DORMANT) {
      Thread.sleep(CALM_MILLIS);
      return;
    }
    long begin = System.nanoTime();
    Thread.sleep(SETTLE_MILLIS);
    long compiled;
    do {
      compiled = COMPILERS.getTotalCompilationTime();
      Thread.sleep(COMPILED_MILLIS);
    } while (compiled != COMPILERS.getTotalCompilationTime()
        && System.nanoTime() - begin < MAX_SETTLE_MILLIS * 1_000_000L);
  }

  /** The counters at a moment. */
  private record Mark(
      long nanos,
      long operations,
      long operationNanos,
      long workerNanos,
      long processNanos,
      long drainNanos) {}

  private Mark mark(long drain) throws InterruptedException {
    workers.forEach(Worker::ask);
    long operations = 0;
    long operationNanos = 0;
    for (Worker worker : workers) {
      Worker.Progress progress = worker.answer();
      operations += progress.operations();
      operationNanos += progress.cpuNanos();
    }
    long workerNanos = workers.stream().mapToLong(Worker::cpuNanos).sum();
    long processNanos = CpuTime.ofProcess();
    long drainNanos = drain < 0 ? 0 : THREADS.getThreadCpuTime(drain);
    Instant now = Instant.now();
    return new Mark(
        now.getEpochSecond() * 1_000_000_000L + now.getNano(),
        operations,
        operationNanos,
        workerNanos,
        processNanos,
        drainNanos);
  }
}
