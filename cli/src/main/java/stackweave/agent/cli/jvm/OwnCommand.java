package stackweave.agent.cli.jvm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Command lines of this program for messages, as a user can paste them into a shell. Stateless. */
public final class OwnCommand {
  private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");
  private static final String USUAL_JAVA = "java";
  private static final String USUAL_JAR = "stackweave-agent.jar";

  /** The launcher script's name as a user can type it: the script sets this system property. */
  private static final String LAUNCHER = System.getProperty("stackweave.launcher");

  private OwnCommand() {}

  /** What the usage of commands calls this program. */
  public static String name() {
    return LAUNCHER != null ? LAUNCHER : USUAL_JAVA + " -jar " + USUAL_JAR;
  }

  /**
   * {@code java -jar stackweave-agent.jar}, or the launcher script, with these arguments, each
   * quoted where it needs it.
   */
  public static String line(Object... arguments) {
    StringBuilder line = new StringBuilder();
    line.append(LAUNCHER != null ? quoted(LAUNCHER) : quoted(java()) + " -jar " + quoted(jar()));
    for (Object argument : arguments) {
      line.append(' ').append(quoted(argument.toString()));
    }
    return line.toString();
  }

  /** The file's name as an argument that is not taken for an option. */
  public static String file(Path file) {
    String name = file.toString();
    return name.startsWith("-") ? "./" + name : name;
  }

  /** The java executable as the caller named it. */
  private static String java() {
    try {
      byte[] own = Files.readAllBytes(Path.of("/proc/self/cmdline"));
      String java = new String(own, StandardCharsets.UTF_8).split("\0", 2)[0];
      return java.endsWith("java") ? java : USUAL_JAVA;
    } catch (IOException e) {
      return USUAL_JAVA;
    }
  }

  /** The jar as the caller named it: with -jar, that is the class path. */
  private static String jar() {
    String path = System.getProperty("java.class.path", "");
    return path.endsWith(".jar") && !path.contains(":") ? path : USUAL_JAR;
  }

  /** Quotes a word for a POSIX shell where needed. */
  public static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
