package stackweave.agent.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Waiting;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.DaemonThread;
import stackweave.linux.Descriptor;

/**
 * Finds the JVMs of the machine by looking at all processes from time to time. What a process has
 * mapped and its command line are read once for each program that it executes, and now and then
 * while it is no JVM. A process can keep its readers waiting, by memory that a file system of its
 * own provides; so each is read on a thread of its own, and few of one user at a time. Not
 * thread-safe.
 */
public final class JvmSearch {
  /**
   * A JVM.
   *
   * @param image what the process executes: another one after an exec, or if its id was reused
   * @param uid its effective user
   * @param name its main class or jar, as its command line says; controlled by its user
   */
  public record Jvm(int pid, String image, int uid, String name) {}

  /** How long a process is waited for at most; if it answers later, the next look has it. */
  static final long WAIT_NANOS = 50_000_000L;

  /** How long a look waits for all of them, and for those of one user, in multiples of that. */
  private static final int MAX_WAITS = 20;

  private static final int MAX_WAITS_OF_USER = 4;

  /** The most of one user's processes that have not answered yet, and of all users'. */
  private static final int MAX_SILENT_OF_USER = 8;

  private static final int MAX_SILENT = 64;

  /** The longest pause between two looks at a process that is no JVM, in looks at all. */
  private static final int MAX_PAUSE = 64;

  /** A command line is compared up to here. */
  private static final int MAX_BYTES = 1 << 20;

  private static final Pattern ABOVE = Pattern.compile("^(/\\.\\.(?=/))+");

  private static final int NEVER = -1;

  /** How the jar's usual name begins: a command of it is known before it has given its name. */
  private static final String JAR = "stackweave-agent";

  /**
   * What a command calls its process as soon as it runs ({@code stackweave.agent.boot.Command}).
   */
  private static final String NAME = "stackweave\n";

  /**
   * How long {@link #all} looks again at processes that did not answer. All of a usual machine
   * answer within half a second of CPU time, of which a busy machine gives a part.
   */
  private static final long ALL_NANOS = 10_000_000_000L;

  private static final int PAUSE_MILLIS = 20;

  /** A process that was looked at. */
  private static final class Known {
    final String image;

    /** Null if it is no JVM that is searched for. */
    Jvm jvm;

    /** What it is found to be; null while nothing reads it. */
    FutureTask<Jvm> reading;

    /** Looks at all processes until it is looked at again, or {@link #NEVER}. */
    int left;

    int pause = 1;

    Known(String image) {
      this.image = image;
    }

    /** Whether this look is to read it; it stays due until that has begun. */
    boolean isDue() {
      if (jvm == null && left > 0) {
        left--;
      }
      return jvm == null && left == 0;
    }
  }

  private final Path proc;
  private final Pattern match;
  private final String cgroup;
  private final long waitNanos;
  private NavigableMap<Integer, Known> known = new TreeMap<>();

  /** How long this look has waited for the processes of each user, in ns. */
  private final Map<Integer, Long> waited = new HashMap<>();

  /** The process with which the next look begins. */
  private int next;

  /** Whether the last look has read all that it should. */
  private boolean isComplete;

  /** A process that is read. */
  private record Reading(int uid, FutureTask<Jvm> task) {}

  /** Those that had not answered when they were looked at last, also of processes that are gone. */
  private final List<Reading> silent = new ArrayList<>();

  /**
   * @param match what the command line must contain, its words joined by blanks
   * @param cgroup a path as in /proc/PID/cgroup of version 2, which counts with what is below it;
   *     empty for all
   */
  public JvmSearch(Pattern match, String cgroup) {
    this(Path.of("/proc"), match, cgroup, WAIT_NANOS);
  }

  JvmSearch(Path proc, Pattern match, String cgroup, long waitNanos) {
    this.waitNanos = waitNanos;
    this.proc = proc;
    this.match = match;
    this.cgroup = cgroup.replaceFirst("/+$", "");
  }

  /**
   * All JVMs that run now, by their ids; those that don't let themselves be looked at within ten
   * seconds are missing.
   *
   * @throws FailedException if processes can't be listed
   */
  public static List<Jvm> all() throws FailedException {
    JvmSearch search = new JvmSearch(Pattern.compile(""), "");
    List<Jvm> found = new ArrayList<>();
    try {
      Waiting.until(
          () -> {
            found.clear();
            found.addAll(search.look());
            return search.isComplete();
          },
          ALL_NANOS,
          PAUSE_MILLIS);
      return found;
    } catch (IOException e) {
      throw new FailedException("processes can't be listed: " + FailedException.reason(e));
    }
  }

  /**
   * The JVMs that run now, by their ids, without this process and those that run a command of the
   * agent's jar.
   *
   * @throws IOException if processes can't be listed
   */
  public List<Jvm> look() throws IOException {
    NavigableMap<Integer, Known> now = new TreeMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(proc, "[1-9]*")) {
      for (Path directory : all) {
        int pid = Integer.parseInt(directory.getFileName().toString());
        String image = SampledProcess.imageOf(directory);
        if (!image.isEmpty() && pid != ProcessHandle.current().pid()) {
          Known before = known.get(pid);
          boolean isSame = before != null && before.image.equals(image);
          now.put(pid, isSame ? before : new Known(image));
        }
      }
    }
    known = now;
    silent.removeIf(reading -> reading.task().isDone());
    waited.clear();
    isComplete = silent.isEmpty();
    // Where the last one stopped, so that users of low ids do not keep it from the others.
    Map<Integer, Known> first = now.tailMap(next, true);
    Map<Integer, Known> then = now.headMap(next, false);
    next = 0;
    first.forEach(this::lookAt);
    then.forEach(this::lookAt);
    return now.values().stream()
        .map(process -> process.jvm)
        .filter(jvm -> jvm != null && !isNamedAsCommand(jvm.pid()))
        .toList();
  }

  private boolean isNamedAsCommand(int pid) {
    try {
      return Files.readString(proc.resolve(pid + "/comm")).equals(NAME);
    } catch (IOException e) {
      return false; // it has ended
    }
  }

  /** Whether the last look knows of every process whether it is such a JVM. */
  public boolean isComplete() {
    return isComplete;
  }

  private void lookAt(int pid, Known process) {
    try {
      if (process.reading == null && process.isDue()) {
        begin(pid, process);
      }
      if (process.reading != null && process.reading.isDone()) {
        process.jvm = process.reading.get();
        process.reading = null;
      }
    } catch (IOException | RuntimeException | ExecutionException e) {
      // It may not be looked at, or does not let itself be: the others are.
      process.left = NEVER;
      process.reading = null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void begin(int pid, Known process) throws IOException, InterruptedException {
    int uid = ProcessStatus.of(proc.resolve(Integer.toString(pid))).uid();
    long ofUser = silent.stream().filter(reading -> reading.uid() == uid).count();
    long waitedForAll = waited.values().stream().mapToLong(Long::longValue).sum();
    if (waitedForAll > MAX_WAITS * waitNanos || silent.size() == MAX_SILENT) {
      next = next == 0 ? pid : next; // the next look begins with it
      isComplete = false;
      return;
    }
    if (waited.getOrDefault(uid, 0L) > MAX_WAITS_OF_USER * waitNanos
        || ofUser == MAX_SILENT_OF_USER) {
      isComplete = false;
      return; // the next look tries it again
    }
    long began = System.nanoTime();
    process.left = process.pause;
    process.pause = Math.min(2 * process.pause, MAX_PAUSE);
    process.reading = new FutureTask<>(() -> read(pid, process.image));
    DaemonThread.of("stackweave-looking", process.reading).start();
    try {
      process.reading.get(waitNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      silent.add(new Reading(uid, process.reading));
      isComplete = false;
    } catch (ExecutionException e) {
      return; // whoever takes the result is told
    } finally {
      waited.merge(uid, System.nanoTime() - began, Long::sum);
    }
  }

  /** The JVM; null if it is none that is searched for, or another program by now. */
  private Jvm read(int pid, String image) throws IOException {
    Path path = proc.resolve(Integer.toString(pid));
    try (Descriptor directory = Descriptor.directory(path.toString())) {
      if (!isInCgroup(directory.path()) || !TargetProcess.hasLibjvm(directory)) {
        return null;
      }
      List<String> words = words(directory.path());
      return !isCommand(words)
              && contains(String.join(" ", words), match)
              && SampledProcess.imageOf(directory.path()).equals(image)
          ? new Jvm(pid, image, ProcessStatus.of(directory.path()).uid(), ProgramName.of(words))
          : null;
    }
  }

  private boolean isInCgroup(Path directory) throws IOException {
    if (cgroup.isEmpty()) {
      return true;
    }
    for (String line : Files.readString(directory.resolve("cgroup")).split("\n")) {
      if (line.startsWith("0::")) {
        return isBelow(line.substring(3) + "/");
      }
    }
    return false;
  }

  /**
   * Whether a path with a slash at its end is of the cgroup or below it. In a cgroup namespace,
   * paths outside of its root begin with as many {@code /..} as lead to what both have in common.
   */
  private boolean isBelow(String path) {
    return cgroup.replace("/..", "").isEmpty()
        ? ABOVE.matcher(path).replaceFirst("").length() >= path.length() - cgroup.length()
        : path.startsWith(cgroup + "/");
  }

  private static List<String> words(Path directory) throws IOException {
    try (InputStream in = Files.newInputStream(directory.resolve("cmdline"))) {
      byte[] bytes = in.readNBytes(MAX_BYTES);
      return List.of(new String(bytes, StandardCharsets.UTF_8).split("\0"));
    }
  }

  /** Whether these are the words of a command of the agent's jar under its usual name. */
  private static boolean isCommand(List<String> words) {
    int jar = words.indexOf("-jar") + 1;
    return jar > 0
        && jar < words.size()
        && words.get(jar).substring(words.get(jar).lastIndexOf('/') + 1).startsWith(JAR);
  }

  /**
   * Whether a text that a process controls contains an expression that the user chose. There are
   * expressions whose search takes as long as the process wants: these find nothing then.
   */
  static boolean contains(String text, Pattern expression) {
    try {
      return expression.matcher(new Steps(text)).find();
    } catch (StackOverflowError | TooManySteps e) {
      return false;
    }
  }

  private static final class TooManySteps extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooManySteps() {
      super(null, null, false, false);
    }
  }

  /** A text that is read a limited number of times. */
  private static final class Steps implements CharSequence {
    private static final int MOST = 50_000_000;

    private final String text;
    private int left = MOST;

    Steps(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      if (--left < 0) {
        throw new TooManySteps();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int begin, int end) {
      return text.subSequence(begin, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
