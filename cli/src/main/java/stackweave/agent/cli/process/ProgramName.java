package stackweave.agent.cli.process;

import java.util.List;
import java.util.Set;
import stackweave.agent.cli.common.Plain;
import stackweave.unwind.text.ShortText;

/**
 * What a JVM runs, by the words of its command line, as {@code jps -l} has it: the main class, or
 * the jar behind {@code -jar}. A launcher other than {@code java} is the program itself. Of a main
 * class that only a file of arguments names, the file's name is known. Stateless.
 */
public final class ProgramName {
  /** Options of the launcher whose value is the next word (java.c: IsWhiteSpaceOption). */
  private static final Set<String> WITH_VALUE =
      Set.of(
          "-cp",
          "-classpath",
          "--class-path",
          "-p",
          "--module-path",
          "--upgrade-module-path",
          "--add-modules",
          "--limit-modules",
          "--add-exports",
          "--add-opens",
          "--add-reads",
          "--patch-module",
          "--enable-native-access",
          "--source");

  private static final Set<String> BEFORE_MODULE = Set.of("-m", "--module");
  private static final String MODULE = "--module=";
  private static final String ARGUMENTS_FILE = "@";

  private static final int MOST_SHOWN = 200;

  private ProgramName() {}

  /** A name, which the user of the JVM controls, as text for a terminal. */
  public static String shown(String name) {
    return Plain.line(ShortText.of(name, MOST_SHOWN));
  }

  /** The name; the command itself if no word says more. */
  public static String of(List<String> words) {
    String command = words.isEmpty() ? "" : words.get(0);
    if (!command.substring(command.lastIndexOf('/') + 1).equals("java")) {
      return command;
    }
    String file = "";
    for (int i = 1; i < words.size(); i++) {
      String word = words.get(i);
      if (BEFORE_MODULE.contains(word) && i + 1 < words.size()) {
        return words.get(i + 1);
      }
      if (word.startsWith(MODULE)) {
        return word.substring(MODULE.length());
      }
      if (WITH_VALUE.contains(word)) {
        i++;
      } else if (word.startsWith(ARGUMENTS_FILE)) {
        file = word;
      } else if (!word.startsWith("-")) {
        return word;
      }
    }
    return file.isEmpty() ? command : file;
  }
}
