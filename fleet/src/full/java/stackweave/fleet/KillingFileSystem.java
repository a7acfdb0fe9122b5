package stackweave.fleet;

import java.io.IOException;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * The file system {@code file} of a JVM that is to end, as by SIGKILL, before it does a certain
 * thing: the first one, written as {@code create /path} or {@code rename /from /to}, that the
 * property {@code killed.at} fits. Thread-safe.
 */
public final class KillingFileSystem extends LocalFileSystem {
  private static final Pattern AT = Pattern.compile(System.getProperty("killed.at"));
  private static final int KILLED = 137;

  private static void before(String what, Path... paths) {
    StringBuilder all = new StringBuilder(what);
    for (Path path : paths) {
      all.append(' ').append(path.toUri().getPath());
    }
    if (AT.matcher(all).find()) {
      Runtime.getRuntime().halt(KILLED);
    }
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    before("create", file);
    return super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress);
  }

  @Override
  public boolean rename(Path from, Path to) throws IOException {
    before("rename", from, to);
    return super.rename(from, to);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    before("mkdirs", path);
    return super.mkdirs(path);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    before("mkdirs", path);
    return super.mkdirs(path, permission);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    before("delete", path);
    return super.delete(path, recursive);
  }
}
