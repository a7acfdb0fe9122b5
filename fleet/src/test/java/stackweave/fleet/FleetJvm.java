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

  /** Then runs a command. */
  FleetJvm then(Class<? extends Callable<Integer>> command, Object... ofCommand) {
    if (!arguments.isEmpty()) {
      arguments.add(NEXT);
    }
    arguments.add(command.getName());
    Arrays.stream(ofCommand).map(Object::toString).forEach(arguments::add);
    return this;
  }

  RunningCommand start() {
    return jvm.start(FleetJvm.class.getName(), arguments.toArray(String[]::new));
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
    int code = 0;
    for (int from = 0; from < all.size(); ) {
      int next = all.subList(from, all.size()).indexOf(NEXT);
      int to = next < 0 ? all.size() : from + next;
      FleetCommand command =
          (FleetCommand) Class.forName(all.get(from)).getDeclaredConstructor().newInstance();
      code = FleetCommand.execute(command, all.subList(from + 1, to).toArray(String[]::new));
      if (code != 0) {
        break;
      }
      from = to + 1;
    }
    System.exit(code);
  }
}
