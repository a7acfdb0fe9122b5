package stackweave.fleet.store;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A path and its file system. Immutable.
 *
 * @param files the file system
 * @param path with scheme
 */
public record HadoopPath(FileSystem files, Path path) {
  /**
   * That of a name.
   *
   * @throws FleetException if the name is none of a path, or this JVM has no such file system; one
   *     line for users
   */
  public static HadoopPath of(String name, Configuration configuration)
      throws IOException, FleetException {
    try {
      Path path = new Path(name);
      FileSystem files = path.getFileSystem(configuration);
      return new HadoopPath(files, files.makeQualified(path));
    } catch (RuntimeException | LinkageError e) {
      // So Hadoop says that a class is missing, a host unknown, or a name wrong.
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new FleetException(
          "%s: can't be reached: %s: %s",
          name, cause.getClass().getSimpleName(), FleetException.firstLine(cause));
    }
  }
}
