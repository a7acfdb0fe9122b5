package stackweave.agent.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Descriptor;

/**
 * Finds the JVMs of the machine by looking at all processes from time to time. What a process has
 * mapped and its command line are read once for each program that it executes, and now and then
 * while it is no JVM. Not thread-safe.
 */
public final class JvmSearch {
  /**
   * A JVM.
   *
   * @param image what the process executes: another one after an exec, or if its id was reused
   * @param uid its effective user
   */
  public record Jvm(int pid, String image, int uid) {}

  /** How long one process is waited for. */
  private static final long MAX_SECONDS = 1;

  /** The longest pause between two looks at a process that is no JVM, in looks at all. */
  private static final int MAX_PAUSE = 64;

  /** A command line is compared up to here. */
  private static final int MAX_BYTES = 1 << 20;

  private static final int NEVER = -1;
  private static final String JAR = "stackweave-agent";

  /** A process that was looked at. */
  private static final class Known {
    final String image;

    /** Null if it is no JVM that is searched for. */
    Jvm jvm;

    /** Looks at all processes until it is looked at again, or {@link #NEVER}. */
    int left;

    int pause = 1;

    Known(String image) {
      this.image = image;
    }
  }

  private final Path proc;
  private final Pattern match;
  private final String cgroup;
  private Map<Integer, Known> known = new TreeMap<>();

  /**
   * @param match what the command line must contain, its words joined by blanks
   * @param cgroup a path as in /proc/PID/cgroup of version 2, which counts with what is below it;
   *     empty for all
   */
  public JvmSearch(Pattern match, String cgroup) {
    this(Path.of("/proc"), match, cgroup);
  }

  JvmSearch(Path proc, Pattern match, String cgroup) {
    this.proc = proc;
    this.match = match;
    this.cgroup = cgroup.replaceFirst("/+$", "");
  }

  /**
   * The JVMs that run now, by their ids, without this process and those that run a command of the
   * agent's jar.
   *
   * @throws IOException if processes can't be listed
   */
  public List<Jvm> look() throws IOException {
    Map<Integer, Known> now = new TreeMap<>();
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
    List<Jvm> jvms = new ArrayList<>();
    now.forEach(
        (pid, process) -> {
          if (process.jvm == null && process.left >= 0 && process.left-- == 0) {
            process.left = process.pause;
            process.pause = Math.min(2 * process.pause, MAX_PAUSE);
            lookAt(pid, process);
          }
          if (process.jvm != null) {
            jvms.add(process.jvm);
          }
        });
    return jvms;
  }

  private void lookAt(int pid, Known process) {
    Path path = proc.resolve(Integer.toString(pid));
    try (Descriptor directory = Descriptor.directory(path.toString())) {
      boolean isMeant =
          isInCgroup(directory.path())
              && UserRights.unchanged()
                  .run(
                      () -> TargetProcess.hasLibjvm(directory) && matches(directory.path()),
                      MAX_SECONDS);
      if (isMeant && SampledProcess.imageOf(directory.path()).equals(process.image)) {
        process.jvm = new Jvm(pid, process.image, ProcessStatus.of(directory.path()).uid());
      }
    } catch (IOException | RuntimeException e) {
      // It may not be looked at, or does not let itself be: the others are.
      process.left = NEVER;
    }
  }

  private boolean isInCgroup(Path directory) throws IOException {
    if (cgroup.isEmpty()) {
      return true;
    }
    for (String line : Files.readString(directory.resolve("cgroup")).split("\n")) {
      if (line.startsWith("0::")) {
        return (line.substring(3) + "/").startsWith(cgroup + "/");
      }
    }
    return false;
  }

  private boolean matches(Path directory) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(directory.resolve("cmdline"))) {
      bytes = in.readNBytes(MAX_BYTES);
    }
    String[] words = new String(bytes, StandardCharsets.UTF_8).split("\0");
    return !isCommand(words) && contains(String.join(" ", words), match);
  }

  /** Whether these are the words of a command of the agent's jar. */
  private static boolean isCommand(String[] words) {
    int jar = Arrays.asList(words).indexOf("-jar") + 1;
    return jar > 0
        && jar < words.length
        && words[jar].substring(words[jar].lastIndexOf('/') + 1).startsWith(JAR);
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
