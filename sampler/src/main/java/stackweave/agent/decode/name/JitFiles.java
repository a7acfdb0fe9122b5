package stackweave.agent.decode.name;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import stackweave.linux.OwnDirectory;
import stackweave.unwind.HeapShare;

/**
 * Reads files that JIT compilers of other runtimes write for profilers. They may be in directories
 * that others can write, so only a regular file of the JVM's user or root is read, and only if
 * nobody else can replace it: then opening it follows no link and can't block. Used by {@link
 * JitNames}.
 */
final class JitFiles {
  /** The largest file that is read, in bytes. */
  static final int MAX_BYTES = HeapShare.of(32 << 20);

  private static final int ROOT = 0;

  private JitFiles() {}

  /**
   * Identifies a file's content: if two results are equal, nothing was written in between. Empty
   * for a file that must not be read.
   */
  static List<Object> identity(Path file) {
    try {
      Map<String, Object> facts =
          Files.readAttributes(
              file,
              "unix:isRegularFile,uid,size,lastModifiedTime,ino,dev",
              LinkOption.NOFOLLOW_LINKS);
      int uid = (int) facts.get("uid");
      boolean mayRead =
          (boolean) facts.get("isRegularFile")
              && (uid == ROOT || uid == OwnDirectory.effectiveUid())
              && (long) facts.get("size") <= MAX_BYTES
              && OwnDirectory.problemAround(file) == null;
      return mayRead
          ? List.of(
              facts.get("dev"), facts.get("ino"), facts.get("lastModifiedTime"), facts.get("size"))
          : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  /**
   * The content of a file with this {@link #identity}, up to the size in it.
   *
   * @throws IOException if it can't be read
   */
  static byte[] read(Path file, List<Object> identity) throws IOException {
    int size = Math.toIntExact((long) identity.get(identity.size() - 1));
    try (FileInputStream in = new FileInputStream(file.toFile())) {
      byte[] bytes = in.readNBytes(size);
      if (bytes.length < size) {
        throw new IOException(file + " has become shorter");
      }
      return bytes;
    }
  }
}
