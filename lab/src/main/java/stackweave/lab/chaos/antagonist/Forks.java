package stackweave.lab.chaos.antagonist;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Native;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * Child processes of all kinds: fork without exec; fork, vfork and posix_spawn with exec; Java's
 * own. No child may inherit a signal that is ignored or blocked, and none may be sampled; for the
 * latter their ids and times are written to {@link #CHILDREN}.
 */
public final class Forks implements Antagonist {
  /** File of the children: a line each with process id, start and end, both in ms since 1970. */
  public static final String CHILDREN = "children";

  private static final String SHELL = "/bin/sh";

  /**
   * Fails if SIGPROF (27) or a signal from 34 on is ignored or blocked, and writes which. Other
   * signals belong to the JVM and the C library: 3, 32 and 33 may be either.
   */
  private static final String SCRIPT =
      "pattern=.0000000[01].[012389ab]; grep -q SigIgn:$pattern /proc/self/status"
          + " && grep -q SigBlk:$pattern /proc/self/status"
          + " || { grep Sig /proc/self/status >signals; exit 1; }";

  private static final String NOTHING = ":";
  private static final int LOOK_EVERY = 5;
  private static final int WORK = 2_000_000;
  private static final int[] EXECUTIONS = {0, 1, 2};

  @Override
  public String targets() {
    return "what a child inherits: handlers, timers, ignored signals, perf events, descriptors";
  }

  @Override
  public List<String> counts() {
    return List.of("forks without exec", "fork, vfork, posix_spawn and exec", "processes of Java");
  }

  @Override
  public void run(Time time, Tally tally) throws Exception {
    long expected = Answers.mixed(5, WORK);
    try (BufferedWriter children = Files.newBufferedWriter(time.directory().resolve(CHILDREN))) {
      for (int turn = 0; !time.isOver(); turn++) {
        String script = turn % LOOK_EVERY == 0 ? SCRIPT : NOTHING;
        long[] results = new long[2];
        Instant birth = Instant.now();
        Native.forkAndWork(5, WORK, results);
        Answers.same("a forked child", expected, results[0]);
        note(children, results[1], birth);
        tally.one(0);
        for (int how : EXECUTIONS) {
          birth = Instant.now();
          Native.execute(how, SHELL, script, results);
          Answers.same("the signals of an executed child", 0, results[0]);
          note(children, results[1], birth);
          tally.one(1);
        }
        birth = Instant.now();
        Process process = new ProcessBuilder(SHELL, "-c", script).start();
        if (!process.waitFor(50, TimeUnit.SECONDS)) {
          throw new IllegalStateException("a process of Java's does not end");
        }
        Answers.same("the signals of a process of Java's", 0, process.exitValue());
        note(children, process.pid(), birth);
        tally.one(2);
      }
    }
  }

  private static void note(BufferedWriter children, long pid, Instant birth) throws IOException {
    if (pid != 0) {
      children.write(pid + " " + birth.toEpochMilli() + " " + Instant.now().toEpochMilli() + "\n");
    }
  }
}
