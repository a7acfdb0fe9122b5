package stackweave.engine;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own for what other tests of this one would disturb, on the same JDK and classes. */
public final class OwnJvm {
  private OwnJvm() {}

  /**
   * The command that starts it, with a small collector.
   *
   * @param main its main class
   */
  public static List<String> command(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:+UseSerialGC");
    // What surefire's own jar stands for, if it is there.
    String path = System.getProperty("java.class.path");
    command.addAll(List.of("-cp", System.getProperty("surefire.test.class.path", path)));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return command;
  }
}
