package stackweave.agent.cli.record;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.OutputFile;
import stackweave.agent.cli.common.UsageException;
import stackweave.agent.cli.process.JvmSearch;
import stackweave.linux.OwnDirectory;

/** The options of {@code record --all}: which JVMs are recorded. */
public final class ManyOptions {
  @Option(
      names = "--all",
      description =
          "Samples all JVMs that match, as they come and go, instead of one, and leaves a recording"
              + " of each. Samples of CPU time only: JFR's own events and all else need record"
              + " PID. As root, in the machine's own pid namespace.")
  private boolean all;

  @Option(
      names = "--match",
      paramLabel = "REGEX",
      description =
          "With --all: JVMs whose command line contains this regular expression, such as"
              + " 'java.*orders'.")
  private String match;

  @Option(
      names = "--cgroup",
      paramLabel = "PATH",
      description =
          "With --all: JVMs in this cgroup and those below it, a path of cgroup v2 as in"
              + " /proc/PID/cgroup. In a container, /../.. is two levels above its own.")
  private String cgroup;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description =
          "With --all: JVMs of this user; may be given several times. Without it, those of the"
              + " user who runs this.")
  private List<String> users = List.of();

  @Option(names = "--all-users", description = "With --all: JVMs of all users.")
  private boolean allUsers;

  /** Whether many JVMs are to be recorded. */
  boolean isGiven() {
    return all;
  }

  /** Refuses options that say nothing without {@code --all}, and empty ones, which fit any JVM. */
  void mustFit() throws UsageException {
    if (!all && (match != null || cgroup != null || !users.isEmpty() || allUsers)) {
      throw new UsageException("--match, --cgroup, --user and --all-users need --all");
    }
    if (match != null && match.isBlank() || cgroup != null && cgroup.isBlank()) {
      throw new UsageException(
          "--match or --cgroup is empty: without the option, JVMs are not chosen by it");
    }
  }

  /** What finds the JVMs that match, of all users. */
  JvmSearch search() throws UsageException {
    try {
      return new JvmSearch(
          Pattern.compile(match == null ? "" : match), cgroup == null ? "" : cgroup);
    } catch (PatternSyntaxException e) {
      throw new UsageException(
          "Invalid value for option '--match': '%s' is no regular expression (%s)",
          match, e.getDescription());
    }
  }

  /**
   * The users whose JVMs are recorded.
   *
   * @throws FailedException if one does not exist
   */
  Users users() throws FailedException {
    Set<UserPrincipal> named = new HashSet<>();
    try {
      for (String user : users) {
        named.add(
            FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(user));
      }
      if (named.isEmpty()) {
        named.add(OutputFile.owner(OwnDirectory.effectiveUid()));
      }
    } catch (UserPrincipalNotFoundException e) {
      throw new FailedException("there is no user '" + e.getName() + "'");
    } catch (IOException e) {
      throw new FailedException("users can't be looked up: " + FailedException.reason(e));
    }
    return new Users(allUsers, named);
  }

  /**
   * Users whose JVMs are recorded.
   *
   * @param areAll whether all are
   * @param named otherwise
   */
  record Users(boolean areAll, Set<UserPrincipal> named) {
    boolean has(int uid) throws IOException {
      return areAll || named.contains(OutputFile.owner(uid));
    }

    boolean areSeveral() {
      return areAll || named.size() > 1;
    }
  }
}
