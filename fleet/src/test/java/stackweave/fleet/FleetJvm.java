package stackweave.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.launcher.JavaModuleOptions;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/**
 * Runs commands of the fleet as spark-submit does, in a JVM of its own: several one after the
 * other, since each start of Spark takes seconds. Not thread-safe.
 */
final class FleetJvm {
  private static final String NEXT = "next";

  /** What comes before commands that are to fail. */
  private static final String FAILS = "fails";

  private static final int FAILED = 2;

  private final ForkedJvm jvm;
  private final List<String> arguments = new ArrayList<>();

  /**
   * A JVM.
   *
   * @param master Spark's: {@code local[2]}, {@code spark://…}
   */
  FleetJvm(Jdk jdk, Path directory, String master) {
    jvm = ForkedJvm.on(jdk, directory);
    jvm.options(JavaModuleOptions.defaultModuleOptions().split(" "));
    jvm.options(
        "-XX:TieredStopAtLevel=1",
        "-Xmx1g",
        "-Djava.io.tmpdir=" + directory, // also of Spark, whose files stay if it is killed
        "-Dspark.master=" + master,
        "-Dspark.ui.enabled=false",
        "-Dspark.driver.host=localhost",
        "-Dspark.sql.shuffle.partitions=2");
    jvm.classPath(classPath());
  }

  /** The class path of the tests, which Surefire keeps in a property. */
  static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  /** With these options of the JVM. */
  FleetJvm options(String... options) {
    jvm.options(options);
    return this;
  }

  /** With this variable of the environment. */
  FleetJvm environment(String name, String value) {
    jvm.environment(name, value);
    return this;
  }

  /** Then runs a command. */
  FleetJvm then(Class<? extends Callable<Integer>> command, Object... ofCommand) {
    if (!arguments.isEmpty()) {
      arguments.add(NEXT);
    }
    arguments.add(command.getName());
    Arrays.stream(ofCommand).map(Object::toString).forEach(arguments::add);
    return this;
  }

  /** Then runs a command that is to end with 2; the next one runs only if it does. */
  FleetJvm thenFails(Class<? extends Callable<Integer>> command, Object... ofCommand) {
    then(command, ofCommand);
    arguments.add(arguments.size() - 1 - ofCommand.length, FAILS);
    return this;
  }

  RunningCommand start() {
    return start(FleetJvm.class, arguments.toArray());
  }

  /** Starts a main class of a test, which may do more with commands than run them one by one. */
  RunningCommand start(Class<?> main, Object... ofMain) {
    return jvm.start(
        main.getName(), Arrays.stream(ofMain).map(Object::toString).toArray(String[]::new));
  }

  /** Runs the commands to their end, or to the first that fails, whose exit code it has. */
  Ended run() throws InterruptedException {
    try {
      return start().end();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In the JVM. */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    List<String> all = List.of(arguments);
    for (int from = 0; from < all.size(); ) {
      int next = all.subList(from, all.size()).indexOf(NEXT);
      int to = next < 0 ? all.size() : from + next;
      boolean fails = all.get(from).equals(FAILS);
      int code = run(all.subList(fails ? from + 1 : from, to));
      if (fails && code != FAILED) {
        System.err.println(all.subList(from, to) + " ended with " + code);
        System.exit(1);
      }
      if (!fails && code != 0) {
        System.exit(code);
      }
      from = to + 1;
    }
    System.exit(0);
  }

  private static int run(List<String> words) throws ReflectiveOperationException {
    FleetCommand command =
        (FleetCommand) Class.forName(words.get(0)).getDeclaredConstructor().newInstance();
    return FleetCommand.execute(command, words.subList(1, words.size()).toArray(String[]::new));
  }
}
