package stackweave.agent.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.FileFacts;
import stackweave.agent.linux.OwnDirectory;

/**
 * A process checked to be a JVM of an accessible user before anything is done to it: an attach
 * sends SIGQUIT, which kills a process that doesn't handle it. See proc(5).
 *
 * <p>Its directory in /proc and its root stay open, so no other process with the same id can be
 * mistaken for it. Neither user trusts the other: its file system must be accessed inside {@link
 * #act} only, with its user's rights.
 */
public final class TargetProcess implements AutoCloseable {
  /** The user id of root. */
  public static final int ROOT = 0;

  /**
   * Bytes read of a file in /proc; more than the kernel's default limit of arguments and
   * environment.
   */
  private static final int MAX_BYTES = 8 << 20;

  /** What the kernel puts behind the path of a directory that is no longer there. */
  private static final String REMOVED = " (deleted)";

  private static final String NO_ATTACH = "DisableAttachMechanism";

  private static final int SIGQUIT = 3;
  private static final int EFFECTIVE = 1;

  private final long pid;
  private final int pidThere;
  private final boolean takesSigQuit;
  private final Descriptor proc;
  private final Descriptor cwd;
  private final UserFiles files;

  private TargetProcess(
      long pid,
      int pidThere,
      boolean takesSigQuit,
      Descriptor proc,
      Descriptor cwd,
      UserFiles files) {
    this.pid = pid;
    this.pidThere = pidThere;
    this.takesSigQuit = takesSigQuit;
    this.proc = proc;
    this.cwd = cwd;
    this.files = files;
  }

  /**
   * Checks that this is a JVM that the caller may attach to.
   *
   * @throws FailedException if it isn't, with the reason for the user
   */
  static TargetProcess check(long pid) throws FailedException {
    TargetProcess process = look(pid);
    boolean good = false;
    try {
      process.mustTakeAttach();
      good = true;
      return process;
    } finally {
      if (!good) {
        process.close();
      }
    }
  }

  private void mustTakeAttach() throws FailedException {
    String reason = whyStopped(pid, status(pid, Path.of(proc.ownPath())));
    if (reason.isEmpty() && !takesSigQuit) {
      reason = "does not take attach requests: it runs with -Xrs, or has only begun to start";
    }
    if (reason.isEmpty() && JavaOptions.isOn(NO_ATTACH, this)) {
      reason =
          "does not take attach requests: it runs with -XX:+"
              + NO_ATTACH
              + "; start it without that, or with -javaagent and a recording";
    }
    if (!reason.isEmpty()) {
      throw new FailedException("the JVM " + pid + " " + reason);
    }
  }

  /** Why a process does not run, behind what it is called; empty if it does. */
  static String whyStopped(long pid, Map<String, String> status) {
    return switch (status.getOrDefault("State", "").replaceFirst(" .*", "")) {
      case "T" -> "is stopped and can't answer: kill -CONT " + pid + " lets it go on";
      case "t" ->
          "is held by a debugger, the process "
              + status.get("TracerPid")
              + ", and can't answer: let it go on there";
      default -> "";
    };
  }

  /** As {@link #check}, without requiring that it takes attach requests. */
  public static TargetProcess look(long pid) throws FailedException {
    if (pid == ProcessHandle.current().pid()) {
      throw new FailedException("process " + pid + " is this command itself");
    }
    Descriptor proc;
    try {
      proc = Descriptor.directory("/proc/" + pid);
    } catch (IOException e) {
      throw new FailedException("there is no process " + pid);
    }
    boolean good = false;
    try {
      TargetProcess process = look(pid, proc);
      good = true;
      return process;
    } finally {
      if (!good) {
        proc.close();
      }
    }
  }

  private static TargetProcess look(long pid, Descriptor proc) throws FailedException {
    Map<String, String> status = status(pid, Path.of(proc.ownPath()));
    mustBeProcess(pid, status);
    Map<String, String> own = status(pid, Path.of("/proc/self"));
    int uid = id(status, "Uid", EFFECTIVE);
    int ownUid = id(own, "Uid", EFFECTIVE);
    if (ownUid != ROOT && ownUid != uid) {
      throw new FailedException(
          "process "
              + pid
              + " belongs to another user ("
              + userName(pid, uid)
              + "): run this as that user, or as root");
    }
    mustBeJvm(pid, proc);
    mustHaveOneIdentity(pid, status);
    boolean takesSigQuit =
        (Long.parseUnsignedLong(status.get("SigCgt"), 16) & 1L << (SIGQUIT - 1)) != 0;
    String[] pids = status.getOrDefault("NSpid", Long.toString(pid)).split("\\s+");
    int pidThere = Integer.parseInt(pids[pids.length - 1]);
    Descriptor root = null;
    Descriptor cwd = null;
    boolean good = false;
    try {
      root = root(proc, ownUid);
      cwd = cwd(proc);
      // The credentials must be those it had when its root was opened.
      mustBeUnchanged(pid, status, status(pid, Path.of(proc.ownPath())));
      ActingThread acting =
          ownUid == ROOT && !isOwn(status, own)
              ? ActingThread.as(uid, id(status, "Gid", EFFECTIVE), groups(status))
              : ActingThread.asCaller();
      TargetProcess process =
          new TargetProcess(
              pid, pidThere, takesSigQuit, proc, cwd, new UserFiles(root, uid, acting));
      good = true;
      return process;
    } catch (IOException e) {
      throw new FailedException(
          "process "
              + pid
              + " can't be reached with its user's rights ("
              + FailedException.reason(e)
              + "): run this as that user, or as root with CAP_SYS_PTRACE, CAP_SETUID and"
              + " CAP_SETGID");
    } finally {
      if (!good) {
        close(root);
        close(cwd);
      }
    }
  }

  /**
   * Whether a process has the caller's own user and groups. Credentials need no change then, which
   * root of a user namespace with a single id may not do.
   */
  private static boolean isOwn(Map<String, String> status, Map<String, String> own) {
    return id(status, "Uid", EFFECTIVE) == id(own, "Uid", EFFECTIVE)
        && id(status, "Gid", EFFECTIVE) == id(own, "Gid", EFFECTIVE)
        && Arrays.equals(groups(status), groups(own));
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

  /** The process id as this command sees it. */
  public long pid() {
    return pid;
  }

  /** The effective user id as this command sees it. */
  public int uid() {
    return files.uid();
  }

  /** Its user id in its own user namespace, where that differs. */
  public int uidThere() throws FailedException {
    try {
      for (String line : new String(read("uid_map"), StandardCharsets.US_ASCII).split("\n")) {
        String[] numbers = line.strip().split("\\s+"); // there, here, how many
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

  /** Its process id in its own pid namespace. */
  int pidThere() {
    return pidThere;
  }

  /** Its file system, accessed with its user's rights. */
  public UserFiles files() {
    return files;
  }

  /** Its root directory; for use inside {@link #act} only. */
  public Descriptor root() {
    return files.root();
  }

  /** Its working directory or null; for use inside {@link #act} only. */
  Descriptor cwd() {
    return cwd;
  }

  /** Whether its working directory was removed, as far as that can be seen. */
  boolean hasLostDirectory() {
    try {
      return Files.readSymbolicLink(Path.of(proc.ownPath(), "cwd")).toString().endsWith(REMOVED);
    } catch (IOException e) {
      return false;
    }
  }

  /** Runs an action with the rights of its user and waits for it. */
  public <T> T act(Callable<T> action) throws IOException {
    return files.act(action);
  }

  /** As {@link #act(Callable)}, with a time limit in seconds. */
  public <T> T act(Callable<T> action, long longestSeconds) throws IOException {
    return files.act(action, longestSeconds);
  }

  /**
   * Reads a file of its /proc directory, at most 8 MiB since the process controls the size of some.
   */
  public byte[] read(String file) throws IOException {
    return patiently(
        () -> {
          try (InputStream in = Files.newInputStream(Path.of(proc.ownPath(), file))) {
            return in.readNBytes(MAX_BYTES);
          }
        });
  }

  /**
   * Reads with a time limit: such a file may be the process's memory, backed by a file system that
   * never answers.
   */
  private static <T> T patiently(Callable<T> reading) throws IOException {
    try (ActingThread thread = ActingThread.withOwnRights()) {
      return thread.run(reading);
    }
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

  /** Whether this very process still runs, and is not a zombie. */
  public boolean isAlive() {
    try {
      Map<String, String> status = status(pid, Path.of(proc.ownPath()));
      String state = status.getOrDefault("State", "");
      // The main thread may be a zombie while others run.
      boolean last = status.getOrDefault("Threads", "1").matches("[01]");
      return !(last && state.matches("[ZX].*"));
    } catch (FailedException e) {
      return false;
    }
  }

  /** Sends SIGQUIT, which makes a JVM look for the attach trigger file. */
  void sendQuit() throws IOException {
    proc.signal((int) pid, SIGQUIT);
  }

  /** Whether this path is the same file for the process as for us, and readable for it. */
  boolean sees(Path file) {
    try (Descriptor ours = Descriptor.path(file)) {
      FileFacts facts = ours.facts();
      return act(
          () -> {
            try (Descriptor theirs = files.root().find(file.toString())) {
              if (!theirs.facts().isSameFileAs(facts)) {
                return false;
              }
              theirs.readable().close();
              return true;
            }
          });
    } catch (IOException e) {
      return false;
    }
  }

  /** In /proc there is a directory for each thread, too, which no listing shows. */
  private static void mustBeProcess(long pid, Map<String, String> status) throws FailedException {
    String process = status.getOrDefault("Tgid", "");
    if (!process.equals(status.get("Pid"))) {
      throw new FailedException(pid + " is a thread of process " + process + ": use " + process);
    }
  }

  private static String userName(long pid, int uid) {
    try {
      return OwnDirectory.userName(Files.getOwner(Path.of("/proc", Long.toString(pid))));
    } catch (IOException e) {
      return "uid " + Integer.toUnsignedString(uid);
    }
  }

  private static boolean hasEnded(long pid, Descriptor proc) {
    try {
      return status(pid, Path.of(proc.ownPath())).getOrDefault("State", "").matches("[ZX].*");
    } catch (FailedException e) {
      return true;
    }
  }

  private static void mustBeJvm(long pid, Descriptor proc) throws FailedException {
    boolean isJvm;
    try {
      isJvm = patiently(() -> hasLibjvm(proc));
    } catch (IOException e) {
      throw new FailedException(
          "process " + pid + " can't be looked at (" + FailedException.reason(e) + ")");
    }
    if (!isJvm && hasEnded(pid, proc)) {
      throw new FailedException("process " + pid + " has ended");
    }
    if (!isJvm) {
      throw new FailedException("process " + pid + " is no JVM (it has no libjvm.so mapped)");
    }
  }

  /** Line by line, since the process controls their number and length. */
  private static boolean hasLibjvm(Descriptor proc) throws IOException {
    try (Stream<String> maps =
        Files.lines(Path.of(proc.ownPath(), "maps"), StandardCharsets.ISO_8859_1)) {
      return maps.anyMatch(line -> line.contains("/libjvm.so"));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Refuses a set-id process: which of its users' rights to use would be a guess. */
  private static void mustHaveOneIdentity(long pid, Map<String, String> status)
      throws FailedException {
    for (String kind : List.of("Uid", "Gid")) {
      if (Arrays.stream(status.get(kind).split("\\s+")).distinct().count() != 1) {
        throw new FailedException(
            "process " + pid + " runs with the rights of two users or groups (set-id): not done");
      }
    }
  }

  private static void mustBeUnchanged(
      long pid, Map<String, String> before, Map<String, String> after) throws FailedException {
    for (String kind : List.of("Uid", "Gid", "Groups")) {
      if (!Objects.equals(before.get(kind), after.get(kind))) {
        throw new FailedException("process " + pid + " changed its user meanwhile: not done");
      }
    }
  }

  private static Map<String, String> status(long pid, Path directory) throws FailedException {
    try {
      Map<String, String> status = new HashMap<>();
      byte[] bytes = Files.readAllBytes(directory.resolve("status"));
      for (String line : new String(bytes, StandardCharsets.ISO_8859_1).split("\n")) {
        int colon = line.indexOf(':');
        status.put(line.substring(0, Math.max(0, colon)), line.substring(colon + 1).strip());
      }
      return status;
    } catch (IOException e) {
      throw new FailedException("there is no process " + pid);
    }
  }

  /** One of the ids real, effective, saved, file system; unsigned, as in the kernel. */
  private static int id(Map<String, String> status, String name, int which) {
    return (int) Long.parseLong(status.get(name).split("\\s+")[which]);
  }

  private static int[] groups(Map<String, String> status) {
    return Arrays.stream(status.getOrDefault("Groups", "").split("\\s+"))
        .filter(group -> !group.isEmpty())
        .mapToInt(group -> (int) Long.parseLong(group))
        .toArray();
  }

  @Override
  public void close() {
    files.close();
    close(cwd);
    proc.close();
  }

  private static void close(Descriptor descriptor) {
    if (descriptor != null) {
      descriptor.close();
    }
  }
}
