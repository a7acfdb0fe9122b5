package stackweave.agent.cli.process;

import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import stackweave.linux.Descriptor;

/**
 * The options that a JVM was started with, as far as the kernel shows them: those of its command
 * line, without those in its files of options, and those of the environment. For a JVM that can't
 * be asked. Stateless.
 */
public final class JavaOptions {
  private static final String BEHIND_COMMAND_LINE = "_JAVA_OPTIONS";

  /**
   * The variables that HotSpot and its launcher read, {@code Arguments::parse} and {@code args.c},
   * in the order in which they count: the command line is before the last.
   */
  public static final List<String> VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", BEHIND_COMMAND_LINE);

  /** Options of the launcher whose value is the next word ({@code java.c}). */
  private static final Pattern WITH_VALUE =
      Pattern.compile("-cp|-classpath|-p|--(?!module$)[a-z-]+");

  /**
   * A word of a variable, as {@code Arguments::parse_options_buffer} has it: with quotes of both
   * kinds, and nothing that escapes.
   */
  private static final Pattern WORD =
      Pattern.compile("(?:[^\\s\"']|\"[^\"]*(?:\"|$)|'[^']*(?:'|$))+");

  private static final Pattern QUOTED = Pattern.compile("\"([^\"]*)\"?|'([^']*)'?");

  private JavaOptions() {}

  /** Those of a process; what can't be read is left out. */
  public static List<String> of(TargetProcess process) {
    return of(text(process, "cmdline"), text(process, "environ"));
  }

  /** Whether a flag of {@code -XX} is on, as far as the kernel shows it. */
  static boolean isOn(String flag, TargetProcess process) {
    return isOn(flag, text(process, "cmdline"), text(process, "environ"));
  }

  private static String text(TargetProcess process, String file) {
    try {
      // As this process encodes the names of files.
      return new String(
          process.read(file),
          Charset.forName(System.getProperty(Descriptor.NAME_ENCODING, "UTF-8")));
    } catch (IOException e) {
      return "";
    }
  }

  /** Those in the texts of {@code cmdline} and {@code environ}, each ended by a NUL. */
  static List<String> of(String commandLine, String environment) {
    List<String> options = new ArrayList<>(List.of(commandLine.split("\0")));
    VARIABLES.forEach(variable -> options.addAll(inVariable(variable, environment)));
    return options;
  }

  /** As {@link #isOn(String, TargetProcess)}; the last of the options counts. */
  static boolean isOn(String flag, String commandLine, String environment) {
    List<String> options = new ArrayList<>();
    for (String variable : VARIABLES) {
      if (variable.equals(BEHIND_COMMAND_LINE)) {
        options.addAll(beforeMain(List.of(commandLine.split("\0"))));
      }
      options.addAll(inVariable(variable, environment));
    }
    return options.lastIndexOf("-XX:+" + flag) > options.lastIndexOf("-XX:-" + flag);
  }

  /** The words before the main class, module or jar, whose arguments are no options of the JVM. */
  private static List<String> beforeMain(List<String> words) {
    int end = 1;
    while (end < words.size()
        && (words.get(end).matches("(?s)[-@].*")
            || WITH_VALUE.matcher(words.get(end - 1)).matches())) {
      end++;
    }
    return words.subList(0, end);
  }

  private static List<String> inVariable(String variable, String environment) {
    for (String entry : environment.split("\0")) {
      if (entry.startsWith(variable + "=")) {
        return WORD.matcher(entry.substring(variable.length() + 1))
            .results()
            .map(MatchResult::group)
            .map(word -> QUOTED.matcher(word).replaceAll("$1$2"))
            .toList();
      }
    }
    return List.of();
  }
}
