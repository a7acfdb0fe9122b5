package stackweave.fleet.store;

import java.io.IOException;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.ipc.RemoteException;

/**
 * Files of HDFS. A rename fails if the name is taken. The lock is the lease of a file that is open:
 * the name node gives it to another a minute after its holder has ended (the soft limit of leases).
 */
record HdfsAtomicFiles(FileSystem files) implements AtomicFiles {
  /** What the name node says of a file that another has open, or had until a moment ago. */
  private static final Set<String> HELD =
      Set.of(
          "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException",
          "org.apache.hadoop.hdfs.protocol.RecoveryInProgressException");

  @Override
  public boolean putIfAbsent(Path file, byte[] content) throws IOException {
    Path unfinished = new Path(file.getParent(), ".new-" + UUID.randomUUID());
    try (FSDataOutputStream out = files.create(unfinished, false)) {
      out.write(content);
      out.hsync();
    }
    try {
      FileContext.getFileContext(files.getUri(), files.getConf()).rename(unfinished, file);
      return true;
    } catch (FileAlreadyExistsException e) {
      files.delete(unfinished, false);
      return false;
    }
  }

  @Override
  public AutoCloseable lock(Path file) throws IOException {
    // A file system of its own: the name node tells lease holders apart by it.
    FileSystem own = FileSystem.newInstance(files.getUri(), files.getConf());
    FSDataOutputStream held = null;
    try {
      if (!own.exists(file)) {
        own.create(file, false).close();
      }
      held = own.append(file);
    } catch (FileAlreadyExistsException e) {
      return null; // Another job makes it at this moment.
    } catch (RemoteException e) {
      if (!HELD.contains(e.getClassName())) {
        throw e;
      }
    } finally {
      if (held == null) {
        own.close();
      }
    }
    return held == null ? null : own; // which closes its open files
  }
}
