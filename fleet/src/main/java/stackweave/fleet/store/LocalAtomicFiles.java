package stackweave.fleet.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * Files of this machine, not by Hadoop's file system, whose checksum files would make two files of
 * one. The lock is the kernel's, which ends with the process.
 */
record LocalAtomicFiles() implements AtomicFiles {
  /**
   * What this JVM has locked. The kernel gives a process's lock away as soon as the process closes
   * any descriptor of the file, so a second job of this JVM must not even open it.
   */
  private static final Set<java.nio.file.Path> LOCKED = ConcurrentHashMap.newKeySet();

  @Override
  public boolean putIfAbsent(Path file, byte[] content) throws IOException {
    java.nio.file.Path name = java.nio.file.Path.of(file.toUri().getPath());
    // One name for all runs, of which one has the lock: that of a killed one is written over.
    java.nio.file.Path unfinished = name.resolveSibling(".new");
    try {
      try (FileChannel out =
          FileChannel.open(
              unfinished,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE)) {
        out.write(java.nio.ByteBuffer.wrap(content));
        out.force(true);
      }
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
    java.nio.file.Path name = java.nio.file.Path.of(file.toUri().getPath());
    java.nio.file.Path real = name.getParent().toRealPath().resolve(name.getFileName());
    if (!LOCKED.add(real)) {
      return null;
    }
    FileLock lock = null;
    try {
      FileChannel channel =
          FileChannel.open(real, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      lock = channel.tryLock();
      if (lock == null) {
        channel.close();
        return null;
      }
      return () -> {
        channel.close();
        LOCKED.remove(real);
      };
    } finally {
      if (lock == null) {
        LOCKED.remove(real);
      }
    }
  }
}
