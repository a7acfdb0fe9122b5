package stackweave.agent.cli.record;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import stackweave.agent.attach.ProcessRoom;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetJvm;

/**
 * Whether a process has room for a recording. JFR aborts a JVM if it can't write because the disk
 * is full or its file must not grow ({@code JVM.abort}, and {@code StreamWriterHost} in HotSpot).
 * So no command may begin or continue a recording if that is near. Used by {@link RemoteRecording}.
 * Stateless.
 */
final class RecordingRoom {
  /**
   * Bytes that must be free when JFR is told to stop: for its buffers, 10 MiB by default, and as
   * much for the tables of stacks and names, which it writes at the end of a chunk.
   */
  static final long END_BYTES = 24L << 20;

  /** The size at which JFR begins another chunk. */
  private static final long CHUNK_BYTES = 12L << 20;

  /** Bytes that must be free at the start: for a chunk, and its copy in the recording's file. */
  static final long START_BYTES = END_BYTES + 2 * CHUNK_BYTES;

  private static final String NO_ROOM = "JFR ends a JVM in which it can't write";

  /** Prefix of JFR.configure's line on the next chunk's directory, and its text for the default. */
  private static final String REPOSITORY = "Repository path: ";

  private static final String NOT_CHOSEN = "N/A";

  private RecordingRoom() {}

  /**
   * Refuses a recording that could end the JVM.
   *
   * @throws FailedException with what can be done about it
   */
  static void mustBeEnough(TargetJvm jvm) throws FailedException {
    long pid = jvm.process().pid();
    String problem;
    try {
      String limits = new String(jvm.process().read("limits"), StandardCharsets.ISO_8859_1);
      problem = tooShort(pid, limits.lines().toList());
      if (problem.isEmpty()) {
        String repository = repository(jvm, jvm.temporary());
        problem = tooFull(pid, jvm.process().room(repository), repository);
      }
    } catch (IOException e) {
      return; // unknown
    }
    if (!problem.isEmpty()) {
      throw new FailedException(problem);
    }
  }

  /**
   * The directory of JFR's chunks.
   *
   * @param otherwise the result before the JVM's first recording; may be null
   */
  static String repository(TargetJvm jvm, String otherwise) throws FailedException {
    return repository(jvm.diagnose("JFR.configure"), otherwise);
  }

  /**
   * The directory of JFR's next chunk. Its property {@code jdk.jfr.repository} is missing before
   * the first chunk, and then has the directory of the last one.
   *
   * @param said the output of JFR.configure
   */
  static String repository(String said, String otherwise) {
    return said.lines()
        .filter(line -> line.startsWith(REPOSITORY))
        .map(line -> line.substring(REPOSITORY.length()).strip())
        .filter(path -> !path.isEmpty() && !path.equals(NOT_CHOSEN))
        .findFirst()
        .orElse(otherwise);
  }

  /**
   * Why its files may not become long enough; empty if they may.
   *
   * @param limits the lines of /proc/PID/limits
   */
  static String tooShort(long pid, List<String> limits) {
    long longest = ProcessRoom.longestFile(limits);
    return longest >= ProcessRoom.NEEDED_FILE
        ? ""
        : String.format(
            "not recording: files of process %1$s may grow to %2$s (ulimit -f), %3$s, and a"
                + " recording needs %4$s; start it with a higher limit, or, where its hard limit"
                + " allows that: prlimit --pid %1$s --fsize=%5$s:",
            pid, size(longest), NO_ROOM, size(ProcessRoom.NEEDED_FILE), ProcessRoom.NEEDED_FILE);
  }

  /**
   * Why a recording may not begin; empty if it may.
   *
   * @param left in the file system of JFR's repository, in bytes
   */
  static String tooFull(long pid, long left, String repository) {
    return left >= START_BYTES
        ? ""
        : String.format(
            "not recording: %s are left in %s, %s, and a recording needs %s; free some, or give"
                + " JFR another directory: jcmd %s JFR.configure repositorypath=DIR",
            size(left), repository, NO_ROOM, size(START_BYTES), pid);
  }

  /**
   * Why a recording must end; empty if it may go on.
   *
   * @param left in the file system of JFR's repository, in bytes
   * @param copied bytes of the recording's own file, which JFR will write there at the end
   */
  static String shortage(long left, long copied, String repository) {
    String its = copied == 0 ? "" : ", of which the recording's file takes " + size(copied);
    return left - copied >= END_BYTES
        ? ""
        : String.format("%s are left in %s%s, and %s", size(left), repository, its, NO_ROOM);
  }

  private static String size(long bytes) {
    return bytes < 1 << 20 ? (bytes >> 10) + " KiB" : (bytes >> 20) + " MiB";
  }
}
