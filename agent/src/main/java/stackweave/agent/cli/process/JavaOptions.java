package stackweave.agent.cli.process;

import java.io.IOException;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.List;
import stackweave.agent.jdk.JvmProperties;

/**
 * The options that a JVM was started with, as far as the kernel shows them: those of its command
 * line, without those in its files of options, and those of the environment. For a JVM that can't
 * be asked. Stateless.
 */
public final class JavaOptions {
  /**
   * The variables that HotSpot and its launcher read, {@code Arguments::parse} and {@code args.c}.
   */
  public static final List<String> VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private JavaOptions() {}

  /** Those of a process; what can't be read is left out. */
  public static List<String> of(TargetProcess process) {
    return of(text(process, "cmdline"), text(process, "environ"));
  }

  private static String text(TargetProcess process, String file) {
    try {
      // As this process encodes the names of files.
      return new String(
          process.read(file),
          Charset.forName(System.getProperty(JvmProperties.FILE_NAME_ENCODING, "UTF-8")));
    } catch (IOException e) {
      return "";
    }
  }

  /** Those in the texts of {@code cmdline} and {@code environ}, each ended by a NUL. */
  static List<String> of(String commandLine, String environment) {
    List<String> options = new ArrayList<>(List.of(commandLine.split("\0")));
    for (String entry : environment.split("\0")) {
      int equals = entry.indexOf('=');
      if (equals > 0 && VARIABLES.contains(entry.substring(0, equals))) {
        addWords(entry.substring(equals + 1), options);
      }
    }
    return options;
  }

  /** As {@code Arguments::parse_options_buffer}: quotes of both kinds, and nothing that escapes. */
  private static void addWords(String text, List<String> words) {
    StringBuilder word = null;
    char quote = 0;
    for (char c : text.toCharArray()) {
      if (quote == 0 && " \t\n\f\r\013".indexOf(c) >= 0) {
        if (word != null) {
          words.add(word.toString());
        }
        word = null;
        continue;
      }
      word = word == null ? new StringBuilder() : word;
      if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else {
        word.append(c);
      }
    }
    if (word != null) {
      words.add(word.toString());
    }
  }
}
