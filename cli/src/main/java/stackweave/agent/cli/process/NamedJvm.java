package stackweave.agent.cli.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.JvmSearch.Jvm;
import stackweave.linux.OwnDirectory;

/** Finds the JVM that a user means by the word in place of a process id. Stateless. */
public final class NamedJvm {
  private static final String PID = "\\d{1,18}";
  private static final int MOST_LISTED = 10;

  private NamedJvm() {}

  /**
   * The process id that a word stands for: the number that it is, unchecked, or the id of the only
   * JVM with a part of it in its main class's name or its jar's path, in upper or lower case.
   *
   * <p>Other users choose the names of their programs, so a JVM of another user is named by its
   * number only. A user who is not root may record no others, and is not told of them.
   *
   * @throws FailedException if the word is blank, which every name has in it; if none fits, or
   *     several, or another user's, with those that fit
   */
  public static long pid(String word) throws FailedException {
    if (word.isBlank()) {
      throw new FailedException(
          "the PID is empty: give a process id, or a part of the name of a main class or jar;"
              + " without a command, this program lists all");
    }
    return word.matches(PID) ? Long.parseLong(word) : found(word, JvmSearch.all());
  }

  private static long found(String word, List<Jvm> jvms) throws FailedException {
    try {
      int own = OwnDirectory.effectiveUid();
      Jvm jvm = chosen(word, own, jvms);
      CommandMessages.say("process %s", described(own, jvm));
      return jvm.pid();
    } catch (IOException e) {
      throw new FailedException("the own user is not known: " + FailedException.reason(e));
    }
  }

  /**
   * The only JVM that fits.
   *
   * @param own the caller's user
   */
  static Jvm chosen(String word, int own, List<Jvm> jvms) throws FailedException {
    String part = word.toLowerCase(Locale.ROOT);
    List<Jvm> fitting =
        jvms.stream()
            .filter(jvm -> jvm.name().toLowerCase(Locale.ROOT).contains(part))
            .filter(jvm -> own == TargetProcess.ROOT || jvm.uid() == own)
            .toList();
    if (fitting.isEmpty()) {
      throw new FailedException(
          "no JVM%s has '%s' in the name of its main class or jar; without a command, this program"
              + " lists all",
          own == TargetProcess.ROOT ? "" : " of yours", word);
    }
    if (fitting.size() == 1 && fitting.get(0).uid() == own) {
      return fitting.get(0);
    }
    StringJoiner list = new StringJoiner(", ");
    for (Jvm jvm : fitting.subList(0, Math.min(MOST_LISTED, fitting.size()))) {
      list.add(described(own, jvm));
    }
    int more = fitting.size() - MOST_LISTED;
    throw new FailedException(
        "'%s' fits %s%s: give the process id",
        word,
        fitting.size() == 1 ? "a JVM of another user only, " : fitting.size() + " JVMs: ",
        list + (more > 0 ? " and " + more + " more" : ""));
  }

  private static String described(int own, Jvm jvm) {
    String user = jvm.uid() == own ? "" : " (" + user(jvm) + "'s)";
    return jvm.pid() + " " + shown(jvm) + user;
  }

  /** The name of a JVM's user, or its number if that is not known. */
  public static String user(Jvm jvm) {
    try {
      Path directory = Path.of("/proc/" + jvm.pid());
      // The kernel gives root the directory of a process that is not dumpable.
      if (Files.getAttribute(directory, "unix:uid").equals(jvm.uid())) {
        return OwnDirectory.userName(Files.getOwner(directory));
      }
    } catch (IOException e) {
      // It has ended.
    }
    return Integer.toUnsignedString(jvm.uid());
  }

  /** The name of what a JVM runs, which its user controls, as text for a terminal. */
  public static String shown(Jvm jvm) {
    return ProgramName.shown(jvm.name());
  }
}
