package stackweave.fleet;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/** HDFS, a name node and a data node in a process of their own. Not thread-safe. */
final class Hdfs {
  private final Path directory;
  private final String classPath;
  private final int port = Parts.freePort();
  private RunningCommand process;

  /**
   * Starts it, with nothing in it.
   *
   * @param directory for its files
   */
  Hdfs(Path directory) throws Exception {
    this.directory = Files.createDirectories(directory);
    classPath = Parts.classPath("hdfs", directory);
    start("-format");
  }

  /** Kills it and starts it again, with all that it has stored. */
  void restart() throws Exception {
    process.kill();
    start();
  }

  private void start(String... more) throws Exception {
    Path details = directory.resolve("details.json");
    Files.deleteIfExists(details);
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-datanodes",
                "1",
                "-nnport",
                Integer.toString(port),
                "-writeDetails",
                details.toString(),
                "-D",
                "dfs.replication=1",
                "-D",
                "hadoop.tmp.dir=" + directory));
    arguments.addAll(List.of(more));
    process =
        ForkedJvm.on(Parts.jdk(), directory)
            .options("-Xmx512m", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + directory)
            .options("-Dhdfs.minidfs.basedir=" + directory)
            .classPath(classPath)
            .start(
                "org.apache.hadoop.test.MiniDFSClusterManager", arguments.toArray(String[]::new));
    Parts.until(() -> Files.exists(details), process);
  }

  /** The root, {@code hdfs://…}. */
  String root() {
    return "hdfs://localhost:" + port;
  }

  /** A client. */
  FileSystem files() throws IOException {
    return FileSystem.newInstance(URI.create(root()), new Configuration());
  }

  void kill() throws InterruptedException {
    process.kill();
  }
}
