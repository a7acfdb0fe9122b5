package stackweave.agent.feature.load;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import stackweave.agent.jdk.JavaBase;

/**
 * Opens the files of libraries, at most {@link #MAX_FILES} and {@link #MAX_BYTES} at a time. Called
 * on threads that load libraries, so it uses only classes of the JDK, and loads no library.
 * Thread-safe, without a lock.
 */
final class HeldFiles {
  static final int MAX_FILES = 64;

  /** Limit for all files together. A deleted file that is open keeps its space on the disk. */
  static final long MAX_BYTES = 256L << 20;

  private static final String JAVA_HOME = System.getProperty("java.home") + "/";

  private final ToIntFunction<FileDescriptor> number;
  private final AtomicInteger files = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param number returns a descriptor's number
   */
  HeldFiles(ToIntFunction<FileDescriptor> number) {
    this.number = number;
  }

  /**
   * Makes one without open files.
   *
   * @throws ReflectiveOperationException if this JDK's descriptors have no number
   */
  static HeldFiles of(Instrumentation instrumentation) throws ReflectiveOperationException {
    JavaBase.open(instrumentation, "java.io");
    VarHandle field =
        MethodHandles.privateLookupIn(FileDescriptor.class, MethodHandles.lookup())
            .findVarHandle(FileDescriptor.class, "fd", int.class);
    return new HeldFiles(descriptor -> (int) field.get(descriptor));
  }

  /**
   * Opens a file.
   *
   * @param name what dlopen is about to be called with
   * @return null if the file can't vanish, too much is open, or it can't be opened
   */
  HeldFile open(String name) {
    if (!name.startsWith("/") || name.startsWith(JAVA_HOME)) {
      return null;
    }
    long reserved = 0;
    try {
      File file = new File(name);
      // Not a pipe or device, whose opening may block or have effects.
      long length = file.isFile() ? file.length() : 0;
      if (length == 0 || !reserve(length)) {
        return null;
      }
      reserved = length;
      // Closed by close.
      FileInputStream stream = new FileInputStream(file);
      int fd = number.applyAsInt(stream.getFD());
      return new HeldFile(name, stream, Path.of("/proc/self/fd/" + fd), length);
    } catch (IOException | RuntimeException | Error e) {
      // Not readable, or not permitted to the application, which loads it as without the agent.
      if (reserved > 0) {
        release(reserved);
      }
      return null;
    }
  }

  private boolean reserve(long length) {
    files.incrementAndGet();
    bytes.addAndGet(length);
    if (files.get() <= MAX_FILES && bytes.get() <= MAX_BYTES) {
      return true;
    }
    release(length);
    return false;
  }

  private void release(long length) {
    files.decrementAndGet();
    bytes.addAndGet(-length);
  }

  /** Closes a file, unless it is null. To be called once for each. */
  void close(HeldFile file) {
    if (file == null) {
      return;
    }
    release(file.bytes());
    try {
      file.stream().close();
    } catch (IOException e) {
      return; // it was open for reading only
    }
  }

  /** How many are open. */
  int count() {
    return files.get();
  }
}
