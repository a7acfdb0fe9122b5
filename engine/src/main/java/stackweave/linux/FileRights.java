package stackweave.linux;

import java.io.IOException;
import java.util.Arrays;
import stackweave.cpu.SystemCall;
import stackweave.jfr.process.SampledProcess;

/**
 * The rights with which a thread opens files of a sampled process: those of the process's user.
 * Root gives that user nothing thereby: a link or a path that the user has laid leads to no file
 * that the user could not open. All else that the thread may do stays, such as opening perf events.
 * Immutable; its methods act on the calling thread.
 */
public final class FileRights {
  /** Those of this process: nothing is changed. */
  public static final FileRights UNCHANGED = new FileRights(0, 0, null);

  /**
   * Capabilities that override permissions of files: CAP_FS_SET of include/linux/capability.h,
   * which are CHOWN, DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER, FSETID, LINUX_IMMUTABLE, MKNOD,
   * MAC_OVERRIDE.
   */
  private static final long CAPABILITIES =
      1L | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 9 | 1 << 27 | 1L << 32;

  /** What is done with other rights. */
  public interface Action<T, E extends Exception> {
    /** Does it. */
    T run() throws E;
  }

  private final int uid;
  private final int gid;

  /** Null: nothing is changed. */
  private final int[] groups;

  private FileRights(int uid, int gid, int[] groups) {
    this.uid = uid;
    this.gid = gid;
    this.groups = groups;
  }

  /**
   * Those of a process's user.
   *
   * @throws IOException if the process has ended
   */
  public static FileRights of(SampledProcess process) throws IOException {
    return process.isOwn()
        ? UNCHANGED
        : new FileRights(
            (int) process.status("Uid")[1],
            (int) process.status("Gid")[1],
            Arrays.stream(process.status("Groups")).mapToInt(id -> (int) id).toArray());
  }

  /** Whether the calling thread keeps its rights. */
  public boolean areUnchanged() {
    return groups == null;
  }

  /**
   * Gives the calling thread these rights until it ends; threads that it starts have them, too.
   *
   * @throws IOException if the kernel refuses any part; the thread must open no file then
   */
  public void take() throws IOException {
    if (areUnchanged()) {
      return;
    }
    if (Libc.geteuid() == 0) { // others have a process of their own user
      ThreadRights.setGroups(groups);
      set(uid, gid);
    }
    ThreadRights.setEffective(ThreadRights.effective() & ~CAPABILITIES);
    if (Libc.geteuid() == 0 && !isSet(uid, gid) || (ThreadRights.effective() & CAPABILITIES) != 0) {
      throw new IOException("the rights of another user can't be taken on");
    }
  }

  /**
   * Runs an action with the rights of this process, on a thread that has taken these: for files
   * that are not the sampled process's.
   */
  public <T, E extends Exception> T own(Action<T, E> action) throws E {
    if (areUnchanged()) {
      return action.run();
    }
    try {
      takeBack();
      return action.run();
    } finally {
      takeAgain();
    }
  }

  private static void takeBack() {
    set(Libc.geteuid(), Libc.getegid());
    try {
      ThreadRights.setEffective(ThreadRights.effective() | ThreadRights.permitted() & CAPABILITIES);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void takeAgain() {
    try {
      take();
    } catch (IOException e) {
      throw new IllegalStateException(e); // ends the thread's work
    }
  }

  private static void set(int uid, int gid) {
    ThreadRights.call(SystemCall.SETFSGID, gid, 0, 0);
    ThreadRights.call(SystemCall.SETFSUID, uid, 0, 0);
  }

  /** An id that is none changes nothing, and the one in force is returned. */
  private static boolean isSet(int uid, int gid) {
    return (int) ThreadRights.call(SystemCall.SETFSUID, -1, 0, 0) == uid
        && (int) ThreadRights.call(SystemCall.SETFSGID, -1, 0, 0) == gid;
  }
}
