package stackweave.agent.drain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.decode.ProcessView;
import stackweave.agent.drain.limit.HeapRoom;
import stackweave.agent.drain.status.StatusReport;
import stackweave.agent.feature.Feature;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.EngineConfig;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.choice.EngineChooser;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.AskedAt;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.output.FileOutput;
import stackweave.linux.DaemonThread;
import stackweave.linux.Errno;
import stackweave.linux.FileRights;
import stackweave.linux.Libc;
import stackweave.linux.MemoryAccess;

/**
 * Samples another process from this one, into a file. Nothing of the agent is in that process.
 * Thread-safe.
 */
public final class OutsideSampler implements AutoCloseable {
  /**
   * Why a process can't be sampled that does not let itself be read: a thread of this process waits
   * for it, in the kernel, and may still use the process's directory.
   */
  public static final String NO_ANSWER =
      "its memory or a file system of it does not answer, and the kernel may keep this command"
          + " until it does: end that process";

  /** Within it, files of a process answer, unless a file system of its own keeps them back. */
  private static final long MAX_SECONDS = 30;

  /** Within it, a JVM has started. */
  private static final long MAX_START_MILLIS = 5_000;

  private static final long START_PAUSE_NANOS = 50_000_000L;

  private final SampledProcess process;
  private final EventStore store;
  private final Sampler sampler;
  private boolean isClosed;
  private boolean hasEnded;

  /** Of the sampler, when this was closed. */
  private volatile String endReason = "";

  /** The figures when the file was begun. */
  private volatile SamplerFigures begin = SamplerFigures.NONE;

  /**
   * What is sampled, and by what.
   *
   * @param process by a directory that is its own, which stays open until {@link #close}
   * @param jdk name and version of the process's JVM
   * @param engines those of the machine, or those that this process shares with others
   */
  public record Source(SampledProcess process, String jdk, EngineSource engines) {}

  /**
   * Opens what only this command's rights can open. All other files of the process are opened with
   * the rights of its user.
   *
   * @param file is overwritten
   * @param features what is recorded beside CPU time
   * @throws IOException if the file can't be written, the process has ended, or its memory may not
   *     be read
   */
  public OutsideSampler(
      Source source,
      Path file,
      Options options,
      Supplier<List<Feature>> features,
      Messages messages)
      throws IOException {
    FileRights rights = FileRights.of(source.process());
    this.process = withMemory(source.process());
    // Here and not on the drain thread, which may not have the rights to write the file.
    this.store = store(file, source.jdk());
    Machine machine =
        new Machine(process, rights, source.engines(), HeapRoom.Heap.OF_JVM, info -> store);
    this.sampler = new Sampler(machine, null, options, features, messages, StatusBoard.NONE);
  }

  private EventStore store(Path file, String jdk) throws IOException {
    boolean isOpen = false;
    try {
      EventStore opened =
          EventStore.toFile(
              new FileOutput(file, Set.of(SampleRecord.Kind.values())),
              process,
              jdk,
              SessionLegend.info());
      isOpen = true;
      return opened;
    } finally {
      if (!isOpen) {
        Libc.close(process.memory());
      }
    }
  }

  /**
   * Why a process can't be sampled from outside, in one line; empty if it can. Tries what sampling
   * needs (the events of CPUs, the process's memory, the layout of its VM) and leaves nothing
   * behind, unless it is {@link #NO_ANSWER}; takes a tenth of a second, and some seconds where the
   * JVM has just begun to start. Any thread.
   *
   * @param process by a directory that is its own
   * @param request what is asked for
   * @param features what is recorded beside samples, if the request asks for it
   */
  public static String whyNot(
      SampledProcess process, SamplingRequest request, List<Feature> features) {
    return tried(process, pinned -> whyNotHere(pinned, request, features));
  }

  /** As {@link #whyNot}, of the JVM alone: its memory and the layout of its VM. */
  public static String whyNoJvm(SampledProcess process) {
    return tried(process, OutsideSampler::whyNoSupportedJvm);
  }

  private static String tried(SampledProcess process, Function<SampledProcess, String> tries) {
    if (!process.hasMemory()) {
      return ended(process);
    }
    try {
      FileRights rights = FileRights.of(process);
      SampledProcess pinned = withMemory(process);
      FutureTask<String> trial =
          new FutureTask<>(
              () -> {
                rights.take();
                return tries.apply(pinned);
              });
      try {
        DaemonThread.of("stackweave-trial", trial).start();
        String why = trial.get(MAX_SECONDS, TimeUnit.SECONDS);
        return why.isEmpty() || process.hasMemory() ? why : ended(process);
      } finally {
        if (trial.isDone()) {
          Libc.close(pinned.memory());
        }
      }
    } catch (IOException e) {
      return e.getMessage();
    } catch (ExecutionException e) {
      return "it can't be looked at (" + e.getCause() + ")";
    } catch (TimeoutException e) {
      return NO_ANSWER;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }

  private static String ended(SampledProcess process) {
    return "process " + process.pid() + " has ended";
  }

  private static String whyNotHere(
      SampledProcess process, SamplingRequest request, List<Feature> features) {
    // As it is sampled then: a seccomp filter may kill who tries more.
    EngineConfig config = EngineConfig.of(request, MemoryAccess.AUTO, process);
    EngineChoice choice = EngineChooser.start(config);
    if (choice.engine().isEmpty()) {
      return choice.reasons();
    }
    choice.engine().get().close();
    for (Feature feature : features) {
      String why = feature.whyNotOf(process, request);
      if (!why.isEmpty()) {
        return why;
      }
    }
    return whyNoSupportedJvm(process);
  }

  private static String whyNoSupportedJvm(SampledProcess process) {
    while (true) {
      try (ProcessView view = ProcessView.open(process, MemoryAccess.AUTO, false, modules -> {})) {
        String why = view.isJvm() ? view.nativeOnly() : "it is no JVM (it has no libjvm.so mapped)";
        if (why.isEmpty() || !mayBeStarting(process)) {
          return why;
        }
      }
      LockSupport.parkNanos(START_PAUSE_NANOS);
    }
  }

  /** A VM that has not made all its structures yet looks like one that is not supported. */
  private static boolean mayBeStarting(SampledProcess process) {
    return process.hasMemory()
        && System.currentTimeMillis() - process.startMillis() < MAX_START_MILLIS;
  }

  /** With its memory open, which is its own whatever becomes of its id. */
  private static SampledProcess withMemory(SampledProcess process) throws IOException {
    int memory = Libc.open(process.file("mem"), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    if (memory < 0) {
      throw new IOException(
          "the memory of process "
              + process.pid()
              + " can't be read ["
              + Errno.name(Libc.errno())
              + "], which its user may, where kernel.yama.ptrace_scope is 0, or root");
    }
    return process.withMemory(memory);
  }

  /**
   * Also heeds the switch file of the process's user.
   *
   * @param file the file while it exists, else null; asked on the sampling thread
   */
  public void heedSwitch(Supplier<Path> file) {
    sampler.switchFile().heed(file);
  }

  /** Begins to sample. */
  public void start(SamplingRequest request) {
    sampler.onFirstAsked();
    sampler.onRequest(request, new AskedAt(System.nanoTime(), process.cpuNanos()));
  }

  /** Whether samples are taken, or the reason is known why not. */
  public boolean hasStarted() {
    return sampler.hasStarted();
  }

  /** Why no samples are taken; empty if they are, or that is not known yet. */
  public String obstacle() {
    SamplerFigures now = sampler.latest();
    return now == null || !now.engine().isEmpty() ? "" : now.note();
  }

  /**
   * Why sampling has ended by itself, in one line, such as that the process has ended; empty if it
   * has not. Also after {@link #close}.
   */
  public String endReason() {
    if (!store.problem().isEmpty()) {
      return store.problem();
    }
    String now = sampler.endReason();
    return now.isEmpty() ? endReason : now;
  }

  /**
   * Goes on in another file. The one before is complete then, and no sample is missing between
   * them.
   *
   * @param file is overwritten
   * @throws IOException if it can't be written; then nothing has changed
   */
  public void rotate(Path file) throws IOException {
    store.goOnIn(file);
    SamplerFigures now = sampler.latest();
    begin = now == null ? SamplerFigures.NONE : now;
  }

  /** What became of the samples of the present file, one topic a line; up to a second old. */
  public String report() {
    SamplerFigures now = sampler.latest();
    return now == null ? "" : String.join("\n", StatusReport.lines(now.since(begin)));
  }

  /**
   * The samples of the present file and where most of their time was spent, such as {@code 1,234
   * samples, 12 % in deflate}; up to a second old, and empty before any.
   */
  public String soFar() {
    SamplerFigures now = sampler.latest();
    long samples = now == null ? 0 : now.since(begin).get(Counter.WRITTEN);
    String hottest = store.hottest();
    return samples == 0
        ? ""
        : String.format(Locale.ROOT, "%,d samples", samples)
            + (hottest.isEmpty() ? "" : ", " + hottest);
  }

  /**
   * Whether the sampling thread has ended, after {@link #close}. If it does not answer, it may
   * still use the process's directory.
   */
  public synchronized boolean hasEnded() {
    return hasEnded;
  }

  /** Ends sampling; the file is complete then, and {@link #report} has all of it. */
  @Override
  public synchronized void close() {
    store.complete();
    endReason = sampler.endReason();
    hasEnded = sampler.close();
    if (!sampler.hasStore()) {
      store.close(); // nothing was sampled
    }
    // A thread that does not end keeps the memory: its descriptor's number must not become another
    // file's.
    if (hasEnded && !isClosed) {
      isClosed = true;
      Libc.close(process.memory());
    }
  }
}
