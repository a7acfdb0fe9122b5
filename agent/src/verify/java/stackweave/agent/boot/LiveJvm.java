package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/** A running application that is talked to line by line, and looked at from outside. */
final class LiveJvm implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 300;

  /** As the kernel calls a thread that HotSpot starts once it can be attached to. */
  private static final String STARTED_LATER = "Service Thread";

  private final Process process;
  private final BufferedReader out;
  private final Path err;
  private VirtualMachine attached;

  private LiveJvm(Process process, Path err) {
    this.process = process;
    this.out = process.inputReader();
    this.err = err;
  }

  /** Starts it and waits until it says {@code ready}; what it printed before is returned by it. */
  static LiveJvm start(Jvm jvm, Path directory, List<String> arguments, List<String> printed)
      throws IOException {
    return start(jvm, directory, List.of(), arguments, printed);
  }

  /** The same, by another program: {@code command… java …}. */
  static LiveJvm start(
      Jvm jvm, Path directory, List<String> under, List<String> arguments, List<String> printed)
      throws IOException {
    Path err = Files.createTempFile(directory, "err", ".txt");
    Process process =
        ForkedJvm.on(jvm.jdk(), directory)
            .under(under.toArray(String[]::new))
            .options(ForkedJvm.quick(arguments).toArray(String[]::new))
            .command(arguments)
            .redirectError(err.toFile())
            .start();
    LiveJvm live = new LiveJvm(process, err);
    printed.addAll(live.readUntil("ready"));
    return live;
  }

  /** Tells it something by its JDK's jcmd, in a directory, which must go well. */
  void jcmd(Jvm jvm, Path directory, String... command) throws Exception {
    List<String> all =
        new ArrayList<>(List.of(jvm.home().resolve("bin/jcmd").toString(), Long.toString(pid())));
    all.addAll(List.of(command));
    Ended ended = Commands.run(new ProcessBuilder(all).directory(directory.toFile()));
    String said = ended.successfully().out() + ended.err();
    assertTrue(!said.contains("rror") && !said.contains("xception"), said);
  }

  long pid() {
    return process.pid();
  }

  /** Sends a line and reads the answer up to this line. */
  List<String> tell(String line, String lastOfAnswer) throws IOException {
    process.outputWriter().write(line + "\n");
    process.outputWriter().flush();
    return readUntil(lastOfAnswer);
  }

  private List<String> readUntil(String last) throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = out.readLine(); !last.equals(line); line = out.readLine()) {
      if (line == null) {
        throw new IllegalStateException(
            "ended before it said " + last + ": " + lines + Files.readString(err));
      }
      lines.add(line);
    }
    return lines;
  }

  /** Closes its standard input, which ends it. */
  Ended end() throws IOException, InterruptedException {
    detach();
    process.outputWriter().close();
    StringBuilder rest = new StringBuilder();
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      rest.append(line).append('\n');
    }
    assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "does not end");
    return new Ended(
        "process " + pid(), process.exitValue(), rest.toString(), Files.readString(err), null);
  }

  private void detach() throws IOException {
    if (attached != null) {
      attached.detach();
      attached = null;
    }
  }

  @Override
  public void close() throws IOException {
    detach();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  /** What the agent shows of itself, empty before its first work; loads nothing there. */
  String status() {
    try {
      return attached().getAgentProperties().getProperty("stackweave.status", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address of its JMX server, started now. */
  String jmxAddress() throws IOException {
    return attached().startLocalManagementAgent();
  }

  private VirtualMachine attached() throws IOException {
    if (attached == null) {
      attached = attach(pid());
    }
    return attached;
  }

  /**
   * Attaches to a JVM that may just have started. An early SIGQUIT ends it, or is ignored; and JDK
   * 25 removes the file that asks it to listen, as one that an earlier process of this id has left
   * (perfMemory_posix.cpp, cleanup), so that the signals that follow are of no use either.
   */
  static VirtualMachine attach(long pid) throws IOException {
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
      while (!hasThread(pid, STARTED_LATER)) {
        assertTrue(System.nanoTime() < end, "has no " + STARTED_LATER);
        Thread.sleep(5);
      }
      return VirtualMachine.attach(Long.toString(pid));
    } catch (AttachNotSupportedException | InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static boolean hasThread(long pid, String name) throws IOException {
    for (Path task : list(Path.of("/proc/" + pid + "/task"))) {
      if (read(task.resolve("comm")).strip().equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** Waits until the status is so; fails with the last one. */
  String awaitStatus(String what, Predicate<String> wanted) throws Exception {
    String status = "";
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() < end) {
      status = status();
      if (wanted.test(status)) {
        return status;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("never came: " + what + "; " + status + Files.readString(err));
  }

  /** Waits until its standard error has this text. */
  void awaitErr(String text) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!Files.readString(err).contains(text)) {
      assertTrue(System.nanoTime() < end, "never said: " + text + "; " + Files.readString(err));
      Thread.sleep(50);
    }
  }

  /** Waits until at least so many samples have been taken, since the agent began. */
  void awaitSamples(int count) throws Exception {
    awaitStatus(count + " samples", status -> samples(status) >= count);
  }

  /**
   * Waits until it is sampled, and the thread of a name has then used so much CPU time: samples of
   * others, of the JIT's threads above all, say nothing of it.
   */
  void awaitSamplesOf(String thread, Duration cpuTime) throws Exception {
    awaitSamples(1);
    long enough = cpuNanos(thread) + cpuTime.toNanos();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (cpuNanos(thread) < enough) {
      assertTrue(System.nanoTime() < end, thread + " gets no CPU");
      Thread.sleep(20);
    }
  }

  /** Waits until the thread of a name has used most of the CPU time of all threads. */
  void awaitMostOfCpu(String thread) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (cpuNanos(thread) < 0.6 * cpuNanos("")) {
      assertTrue(System.nanoTime() < end, thread + " gets too little of the CPU");
      Thread.sleep(100);
    }
  }

  /** What threads have used so far, by the name that the kernel has for them. */
  private long cpuNanos(String thread) throws IOException {
    return cpuNanos(pid(), thread);
  }

  /**
   * What threads of a process have used so far, by the name that the kernel has for them; all
   * threads that there are for an empty name.
   */
  static long cpuNanos(long pid, String thread) throws IOException {
    long nanos = 0;
    for (Path task : list(Path.of("/proc/" + pid + "/task"))) {
      if (thread.isEmpty() || read(task.resolve("comm")).strip().equals(thread)) {
        String used = read(task.resolve("schedstat")).split(" ")[0];
        nanos += used.isEmpty() ? 0 : Long.parseLong(used); // it has ended meanwhile
      }
    }
    return nanos;
  }

  static long samples(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith("samples: "))
        .mapToLong(line -> Long.parseLong(line.split(" ")[1]))
        .findFirst()
        .orElse(0);
  }

  /** All that an agent at work has, by what the kernel says; empty for a dormant one. */
  List<String> atWork() throws IOException {
    List<String> found = new ArrayList<>();
    Path proc = Path.of("/proc/" + pid());
    for (Path task : list(proc.resolve("task"))) {
      String name = read(task.resolve("comm")).strip();
      if (name.startsWith("stackweave")) {
        found.add("thread " + name);
      }
    }
    for (Path fd : list(proc.resolve("fd"))) {
      String target = link(fd);
      if (target.contains("perf_event") || target.contains("memfd")) {
        found.add("fd " + target);
      }
    }
    read(proc.resolve("timers"))
        .lines()
        .filter(line -> line.startsWith("notify:"))
        .forEach(line -> found.add("timer " + line));
    return found;
  }

  /**
   * The signals that have a handler, as the kernel says, a bit for each. Without signal 62, which
   * the JDK takes for itself with the first channel of java.nio.
   */
  long handledSignals() throws IOException {
    return read(Path.of("/proc/" + pid() + "/status"))
            .lines()
            .filter(line -> line.startsWith("SigCgt:"))
            .mapToLong(line -> Long.parseUnsignedLong(line.split("\\s+")[1], 16))
            .findFirst()
            .orElseThrow()
        & ~(1L << 61);
  }

  void awaitNothingAtWork() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!atWork().isEmpty() && System.nanoTime() < end) {
      Thread.sleep(50);
    }
    assertEquals(List.of(), atWork());
  }

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private static String read(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      return ""; // a thread that has ended
    } catch (IOException e) {
      if (Files.exists(file)) {
        throw e;
      }
      return "";
    }
  }

  private static String link(Path fd) throws IOException {
    try {
      return Files.readSymbolicLink(fd).toString();
    } catch (NoSuchFileException e) {
      return ""; // closed meanwhile
    }
  }
}
