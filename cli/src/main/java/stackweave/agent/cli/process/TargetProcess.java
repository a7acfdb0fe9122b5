package stackweave.agent.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.cli.common.FailedException;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.Descriptor;
import stackweave.linux.FileFacts;
import stackweave.linux.OwnDirectory;

/**
 * A process checked to be a JVM of an accessible user before anything is done to it: an attach
 * sends SIGQUIT, which kills a process that doesn't handle it. See proc(5).
 *
 * <p>Its directory in /proc and its root stay open, so that a process that reuses the id can't be
 * mistaken for it. Its user and the command's user don't trust each other: its file system must
 * only be accessed inside {@link #act}, with its user's rights.
 */
public final class TargetProcess implements AutoCloseable {
  /** The user id of root. */
  public static final int ROOT = 0;

  /**
   * Most bytes read of a file in /proc: more than the default limit of arguments and environment.
   */
  private static final int MAX_BYTES = 8 << 20;

  private static final String NO_ATTACH = "-XX:+DisableAttachMechanism";
  private static final String ATTACH = "-XX:-DisableAttachMechanism";
  private static final int SIGQUIT = 3;

  private final long pid;
  private final ProcessStatus status;
  private final Descriptor proc;
  private final Descriptor cwd;
  private final UserFiles files;

  private final SampledProcess sampled;
  private volatile boolean isKeptOpen;

  private TargetProcess(
      long pid, ProcessStatus status, Descriptor proc, Descriptor cwd, UserFiles files) {
    this.pid = pid;
    this.status = status;
    this.proc = proc;
    this.cwd = cwd;
    this.files = files;
    this.sampled = SampledProcess.other((int) pid, proc.path());
  }

  /**
   * Opens a process that is a JVM of the caller's, or of any user if the caller is root.
   *
   * @throws FailedException if it isn't, with the reason for the user
   */
  public static TargetProcess open(long pid) throws FailedException {
    if (pid == ProcessHandle.current().pid()) {
      throw new FailedException("process " + pid + " is this command itself");
    }
    Descriptor proc;
    try {
      proc = Descriptor.directory("/proc/" + pid);
    } catch (IOException e) {
      throw new FailedException("there is no process " + pid);
    }
    TargetProcess process = null;
    try {
      process = of(pid, proc);
      process.mustBeReachable();
      return process;
    } catch (FailedException | IOException e) {
      proc.close();
      if (process != null) {
        process.close();
      }
      throw e instanceof FailedException failed
          ? failed
          : new FailedException("there is no process " + pid);
    }
  }

  private static TargetProcess of(long pid, Descriptor proc) throws FailedException, IOException {
    ProcessStatus status = ProcessStatus.of(proc.path());
    ProcessStatus own = ProcessStatus.of(Path.of("/proc/self"));
    if (!status.process().equals(status.fields().get("Pid"))) {
      throw new FailedException(
          pid + " is a thread of process " + status.process() + ": use " + status.process());
    }
    if (own.uid() != ROOT && own.uid() != status.uid()) {
      throw new FailedException(
          "process %s belongs to another user (%s): run this as that user, or as root",
          pid, OwnDirectory.userName(Files.getOwner(proc.path())));
    }
    mustBeJvm(pid, proc);
    if (!status.isOfOneUser()) {
      // It is not clear which of its users' rights to use.
      throw new FailedException(
          "process " + pid + " runs with the rights of two users or groups (set-id): not done");
    }
    // Equal credentials need no change, which root of a user namespace with a single id may not
    // make.
    UserRights rights =
        own.uid() == ROOT && !status.mayAs(own)
            ? UserRights.of(status.uid(), status.gid(), status.groups())
            : UserRights.ofCaller();
    try {
      UserFiles files = new UserFiles(root(proc, own.uid()), status.uid(), rights);
      return new TargetProcess(pid, status, proc, cwd(proc), files);
    } catch (IOException e) {
      throw unreachable(pid, e);
    }
  }

  private void mustBeReachable() throws FailedException, IOException {
    // The credentials must be those it had when its root was opened.
    if (!status.hasUserOf(ProcessStatus.of(proc.path()))) {
      throw new FailedException("process " + pid + " changed its user meanwhile: not done");
    }
    try {
      act(() -> null);
    } catch (IOException e) {
      throw unreachable(pid, e);
    }
  }

  private static FailedException unreachable(long pid, IOException e) {
    return new FailedException(
        "process %s can't be reached with its user's rights (%s): run this as that"
            + " user, or as root with CAP_SYS_PTRACE, CAP_SETUID and CAP_SETGID",
        pid, FailedException.reason(e));
  }

  private static void mustBeJvm(long pid, Descriptor proc) throws FailedException, IOException {
    boolean isJvm;
    try {
      isJvm = UserRights.unchanged().run(() -> hasLibjvm(proc));
    } catch (IOException e) {
      throw new FailedException(
          "process " + pid + " can't be looked at (" + FailedException.reason(e) + ")");
    }
    if (!isJvm) {
      throw new FailedException(
          "process %s%s",
          pid,
          ProcessStatus.of(proc.path()).hasEnded()
              ? " has ended"
              : " is no JVM (it has no libjvm.so mapped)");
    }
  }

  static boolean hasLibjvm(Descriptor proc) throws IOException {
    return hasMapped(proc, "/libjvm.so");
  }

  /** Reads line by line, since the process controls number and length of lines. */
  private static boolean hasMapped(Descriptor proc, String library) throws IOException {
    try (Stream<String> maps =
        Files.lines(proc.path().resolve("maps"), StandardCharsets.ISO_8859_1)) {
      return maps.anyMatch(line -> line.contains(library));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static Descriptor root(Descriptor proc, int ownUid) throws IOException {
    try {
      return proc.followMagicLink("root");
    } catch (AccessDeniedException e) {
      if (ownUid == ROOT) {
        throw e;
      }
      // The process may not be traced. It most likely has the caller's own root; the check of the
      // socket's peer detects it if not.
      return Descriptor.directory("/");
    }
  }

  /** Its working directory, or null if that can't be opened. */
  private static Descriptor cwd(Descriptor proc) {
    try {
      return proc.followMagicLink("cwd");
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Checks that it takes attach requests.
   *
   * @throws FailedException if it doesn't, with the reason for the user
   */
  void mustTakeAttach() throws FailedException {
    String reason = whyStopped();
    if (reason.isEmpty() && !status.takesSigQuit()) {
      reason = "does not take attach requests: it runs with -Xrs, or has only begun to start";
    }
    List<String> words = commandLine(); // of equal options the last counts
    if (reason.isEmpty() && words.lastIndexOf(NO_ATTACH) > words.lastIndexOf(ATTACH)) {
      reason =
          "does not take attach requests: it runs with "
              + NO_ATTACH
              + "; start it without that, or with -javaagent and a recording";
    }
    if (!reason.isEmpty()) {
      throw new FailedException("the JVM " + pid + " " + reason);
    }
  }

  /**
   * Whether a Java agent may be in it: not without the JVM's library for them, which stays once it
   * is loaded.
   */
  public boolean mayHaveAgents() {
    try {
      return UserRights.unchanged().run(() -> hasMapped(proc, "/libinstrument.so"));
    } catch (IOException e) {
      return true; // not known
    }
  }

  /** The process id as this command sees it. */
  public long pid() {
    return pid;
  }

  /** The process as what samples it knows it; good until this is closed. */
  public SampledProcess sampled() {
    return sampled;
  }

  /** The effective user id as this command sees it. */
  public int uid() {
    return files.uid();
  }

  /** Its user id in its own user namespace, where that differs. */
  public int uidThere() throws FailedException {
    try {
      for (String line : new String(read("uid_map"), StandardCharsets.US_ASCII).split("\n")) {
        String[] numbers = line.strip().split("\\s+"); // id there, id here, count
        if (numbers.length < 3) {
          continue; // it has no map
        }
        long from = Long.parseLong(numbers[1]);
        long id = Integer.toUnsignedLong(uid());
        if (id >= from && id - from < Long.parseLong(numbers[2])) {
          return (int) (Long.parseLong(numbers[0]) + id - from);
        }
      }
    } catch (IOException e) {
      throw new FailedException("process " + pid + " ended");
    }
    return uid();
  }

  /** The words of its command line; none if they can't be read. */
  public List<String> commandLine() {
    try {
      // In the encoding in which this process encodes names of files.
      Charset names = Charset.forName(System.getProperty(Descriptor.NAME_ENCODING, "UTF-8"));
      return List.of(new String(read("cmdline"), names).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  /** What it runs, with its process id, as text for people; its user controls it. */
  public String name() {
    String name = ProgramName.of(commandLine());
    return (name.isEmpty() ? "process" : ProgramName.shown(name)) + " " + pid;
  }

  /** Its process id in its own pid namespace. */
  int pidThere() {
    return status.pidThere();
  }

  /** Its file system, accessed with its user's rights. */
  public UserFiles files() {
    return files;
  }

  /** Runs an action with the rights of its user and waits for it. */
  public <T> T act(Callable<T> action) throws IOException {
    return files.act(action);
  }

  /** Its working directory or null; for use inside {@link #act} only. */
  Descriptor cwd() {
    return cwd;
  }

  /**
   * Reads a file of its /proc directory, at most 8 MiB since the process controls the size of some.
   * Such a file may be its memory, backed by a file system that never answers: hence the time limit
   * of {@link UserRights}.
   */
  public byte[] read(String file) throws IOException {
    return UserRights.unchanged()
        .run(
            () -> {
              try (InputStream in = Files.newInputStream(proc.path().resolve(file))) {
                return in.readNBytes(MAX_BYTES);
              }
            });
  }

  /**
   * How many bytes its user may still write where a directory is, or will be made; {@link
   * Long#MAX_VALUE} if that is not known.
   *
   * @param path as the process sees it
   */
  public long room(String path) throws IOException {
    Descriptor top = path.startsWith("/") ? files.root() : cwd;
    return top == null ? Long.MAX_VALUE : act(() -> room(top, path));
  }

  private static long room(Descriptor top, String path) throws IOException {
    try (Descriptor there = top.find(path)) {
      return there.room();
    } catch (NoSuchFileException e) {
      if (path.equals("/")) {
        throw e;
      }
      int slash = path.lastIndexOf('/');
      return room(top, slash > 0 ? path.substring(0, slash) : "/");
    }
  }

  /**
   * The switch file of its user, as the process sees it, that switches sampling off; null if there
   * is none. In a directory that others can write it does not count.
   *
   * @throws IOException if that is not known: it has ended, or does not answer
   */
  public Path switchedOffBy() throws IOException {
    String[] usual;
    try {
      usual = SwitchPlaces.usual(uidThere());
    } catch (FailedException e) {
      throw new IOException(e);
    }
    return act(
        () -> {
          for (String file : usual) {
            if (isSwitch(Path.of(file))) {
              return Path.of(file);
            }
          }
          return null;
        });
  }

  private boolean isSwitch(Path file) {
    Path directory = file.getParent();
    try (Descriptor above = files.trusted(directory.getParent().toString());
        Descriptor own = files.own(above, directory.getFileName().toString())) {
      own.look(file.getFileName().toString()).close();
      return true;
    } catch (IOException e) {
      return false; // there is none, or it does not count
    }
  }

  /** Whether this very process still runs the program that it ran at first, and is no zombie. */
  public boolean isAlive() {
    return hasNotEnded() && sampled.isSameProgram();
  }

  /** Whether it runs another program by now (exec). */
  public boolean runsAnother() {
    return hasNotEnded() && sampled.runsAnother();
  }

  /** Why it does not run now, to follow its name; empty if it runs, or has ended. */
  public String whyStopped() {
    try {
      return ProcessStatus.of(proc.path()).whyStopped();
    } catch (IOException e) {
      return "";
    }
  }

  private boolean hasNotEnded() {
    try {
      return !ProcessStatus.of(proc.path()).hasEnded();
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends SIGQUIT, which makes a JVM look for the attach trigger file. */
  void sendQuit() throws IOException {
    proc.signal((int) pid, SIGQUIT);
  }

  /** Whether this path is the same file for the process as for this command, and readable. */
  boolean sees(Path file) {
    try {
      FileFacts facts = FileFacts.of(file);
      return act(
          () -> {
            try (Descriptor theirs = files.root().find(file.toString())) {
              if (!theirs.facts().isSameFileAs(facts)) {
                return false;
              }
              Files.newByteChannel(theirs.path()).close(); // access(2) would check the real user
              return true;
            }
          });
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Leaves its descriptors open for good: a thread that does not end may still use them, and their
   * numbers must not become others'.
   */
  public void keepOpen() {
    isKeptOpen = true;
  }

  /** Whether they stay open. */
  public boolean isKeptOpen() {
    return isKeptOpen || files.rights().isStuck();
  }

  @Override
  public void close() {
    if (isKeptOpen()) {
      return;
    }
    files.close();
    if (cwd != null) {
      cwd.close();
    }
    proc.close();
  }
}
