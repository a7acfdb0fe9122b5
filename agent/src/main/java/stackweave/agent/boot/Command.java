package stackweave.agent.boot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;

/**
 * Main class of the command line, {@code java -jar stackweave-agent.jar …}. Separate from {@link
 * Boot}, since the launcher resolves all methods of the main class, and on a Java runtime without
 * java.instrument that would fail for those of Boot. Compiled for Java 8, as Boot is.
 */
public final class Command {

  private static final String JAR = "-jar";

  /** Options with which users observe the command's own JVM. */
  private static final String[] OF_USER = {"-javaagent:", "-XX:StartFlightRecording"};

  /** By this name {@code JvmSearch} of the command line leaves commands out. */
  private static final String NAME = "stackweave";

  private Command() {}

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] arguments) throws Throwable {
    Boot.command(arguments, null);
  }

  /** Has the kernel call this process {@link #NAME}, whatever the jar's file is called. */
  static void nameProcess() {
    try {
      Files.write(Paths.get("/proc/self/comm"), NAME.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException | SecurityException e) {
      return; // then it is known by its jar's usual name
    }
  }

  /**
   * The arguments that {@link #main} will get, for callers that run before it; null if they can't
   * be found out, or if the user asked for an agent or a recording of this JVM.
   *
   * @param jar as in {@code -jar}
   */
  static String[] arguments(String jar) throws IOException {
    byte[] line = Files.readAllBytes(Paths.get("/proc/self/cmdline"));
    String encoding = System.getProperty("sun.jnu.encoding", "UTF-8"); // as the launcher has it
    return arguments(new String(line, encoding).split("\0", -1), jar);
  }

  /**
   * As {@link #arguments(String)}.
   *
   * @param words of the command line, and an empty one behind them
   */
  static String[] arguments(String[] words, String jar) {
    for (int i = 1; i < words.length - 1; i++) {
      if (words[i].equals(JAR) && words[i + 1].equals(jar)) {
        return Arrays.copyOfRange(words, i + 2, words.length - 1);
      }
      for (String option : OF_USER) {
        if (words[i].startsWith(option)) {
          return null;
        }
      }
    }
    return null;
  }
}
