package stackweave.fleet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/**
 * Spark as users install it, a directory of jars, and a standalone cluster of it: a master and two
 * workers with a core and 1 GiB each, as processes on this machine. Not thread-safe.
 */
final class SparkCluster {
  /** What users submit. */
  private static final Path JAR = Path.of("target/stackweave-fleet.jar").toAbsolutePath();

  /**
   * Of the tests' class path, what is ours, in our jar, or for tests: Spark's directory lacks it.
   */
  private static final String NOT_OF_SPARK =
      ".*/(picocli|duckdb_jdbc|junit-|opentest4j|apiguardian)[^/]*";

  private static final int WORKERS = 2;

  private final Path home;
  private final int port = Parts.freePort();
  private final RunningCommand master;
  private final List<RunningCommand> workers = new ArrayList<>();

  /**
   * Starts it.
   *
   * @param home gets Spark's directory
   */
  SparkCluster(Path home) throws Exception {
    this.home = home;
    Path jars = Files.createDirectories(home.resolve("jars"));
    for (String part : FleetJvm.classPath().split(":")) {
      Path jar = Path.of(part);
      if (part.endsWith(".jar")
          && !part.matches(NOT_OF_SPARK)
          && !jar.startsWith(Path.of("..").toRealPath())) {
        Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
      }
    }
    master =
        jvm("256m")
            .start(
                "org.apache.spark.deploy.master.Master",
                "--host",
                "localhost",
                "--port",
                Integer.toString(port),
                "--webui-port",
                "0");
    for (int i = 0; i < WORKERS; i++) {
      workers.add(
          jvm("256m")
              .start(
                  "org.apache.spark.deploy.worker.Worker",
                  "--host",
                  "localhost",
                  "--webui-port",
                  "0",
                  "--cores",
                  "1",
                  "--memory",
                  "1g",
                  "--work-dir",
                  home.resolve("work-" + i).toString(),
                  "spark://localhost:" + port));
    }
  }

  private ForkedJvm jvm(String heap) {
    return ForkedJvm.on(Parts.jdk(), home)
        .options(JavaModuleOptions.defaultModuleOptions().split(" "))
        .options("-Xmx" + heap, "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + home)
        .classPath(home.resolve("jars") + "/*")
        .environment("SPARK_HOME", home.toString())
        .environment("SPARK_LOCAL_DIRS", home.toString())
        .environment("SPARK_LOCAL_IP", "127.0.0.1")
        .environment("SPARK_SCALA_VERSION", "2.13")
        .environment("JAVA_HOME", Parts.jdk().home().toString());
  }

  /** Starts {@code spark-submit --class stackweave.fleet.Ingest stackweave-fleet.jar …}. */
  RunningCommand ingest(Object... paths) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--master",
                "spark://localhost:" + port,
                "--class",
                Ingest.class.getName(),
                "--conf",
                "spark.driver.host=localhost",
                "--conf",
                "spark.ui.enabled=false",
                "--executor-memory",
                "1g",
                JAR.toString()));
    for (Object path : paths) {
      arguments.add(path.toString());
    }
    return jvm("1g").start("org.apache.spark.deploy.SparkSubmit", arguments.toArray(String[]::new));
  }

  /**
   * Kills a worker and its executor.
   *
   * @throws AssertionError if it had none
   */
  void killAWorker() throws InterruptedException {
    RunningCommand worker = workers.remove(0);
    if (worker.process().descendants().findAny().isEmpty()) {
      throw new AssertionError(worker.what() + " has no executor");
    }
    worker.kill();
  }

  void kill() throws InterruptedException, IOException {
    for (RunningCommand worker : workers) {
      worker.kill();
    }
    master.kill();
    try (Stream<Path> jars = Files.list(home.resolve("jars"))) {
      for (Path jar : jars.toList()) {
        Files.delete(jar); // JUnit warns of links
      }
    }
  }
}
