package stackweave.fleet.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import org.apache.hadoop.fs.Path;

/**
 * Files of this machine, not by Hadoop's file system, whose checksum files would make two files of
 * one. The lock is the kernel's, which ends with the process.
 */
record LocalAtomicFiles() implements AtomicFiles {
  @Override
  public boolean putIfAbsent(Path file, byte[] content) throws IOException {
    java.nio.file.Path name = java.nio.file.Path.of(file.toUri().getPath());
    java.nio.file.Path unfinished = Files.createTempFile(name.getParent(), ".new", "");
    try {
      try (FileChannel out = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
        out.write(java.nio.ByteBuffer.wrap(content));
        out.force(true);
      }
      Files.setPosixFilePermissions(
          unfinished, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
      Files.createLink(name, unfinished); // fails if the name is taken, as a rename would not
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } finally {
      Files.delete(unfinished);
    }
  }

  @Override
  public AutoCloseable lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            java.nio.file.Path.of(file.toUri().getPath()),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // Another job of this JVM has it.
    }
    channel.close();
    return null;
  }
}
