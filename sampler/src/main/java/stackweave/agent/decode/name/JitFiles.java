package stackweave.agent.decode.name;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.OwnDirectory;
import stackweave.maps.proc.ProcessFiles;
import stackweave.maps.proc.ProcessFiles.OpenFile;
import stackweave.unwind.HeapShare;

/**
 * Reads files that JIT compilers of other runtimes write for profilers. They may be in directories
 * that others can write, so only a regular file of the JVM's user or root is read, and in this
 * process only if nobody else can replace it: then opening it follows no link and can't block. In
 * another process {@link ProcessFiles} see to that. Used by {@link JitNames}.
 */
final class JitFiles {
  /** The largest file that is read, in bytes. */
  static final int MAX_BYTES = HeapShare.of(32 << 20);

  private static final int ROOT = 0;

  private static final String FACTS = "unix:isRegularFile,uid,size,lastModifiedTime,ino,dev";

  private final SampledProcess process;
  private final ProcessFiles files;

  /**
   * @param process whose compilers they are
   * @param files its files
   */
  JitFiles(SampledProcess process, ProcessFiles files) {
    this.process = process;
    this.files = files;
  }

  /**
   * Identifies a file's content: if two results are equal, nothing was written in between. Empty
   * for a file that must not be read.
   */
  List<Object> identity(Path path) {
    try (OpenFile file = files.open(path)) {
      // Another process's file is open, and its path here is a link to it.
      Map<String, Object> facts =
          process.isOwn()
              ? Files.readAttributes(file.path(), FACTS, LinkOption.NOFOLLOW_LINKS)
              : Files.readAttributes(file.path(), FACTS);
      int uid = (int) facts.get("uid");
      boolean mayRead =
          (boolean) facts.get("isRegularFile")
              && (uid == ROOT || uid == user())
              && (long) facts.get("size") <= MAX_BYTES
              && (!process.isOwn() || OwnDirectory.problemAround(path) == null);
      return mayRead
          ? List.of(
              facts.get("dev"), facts.get("ino"), facts.get("lastModifiedTime"), facts.get("size"))
          : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  private int user() throws IOException {
    return process.isOwn() ? OwnDirectory.effectiveUid() : (int) process.status("Uid")[1];
  }

  /**
   * The content of a file with this {@link #identity}, up to the size in it.
   *
   * @throws IOException if it can't be read
   */
  byte[] read(Path path, List<Object> identity) throws IOException {
    int size = Math.toIntExact((long) identity.get(identity.size() - 1));
    try (OpenFile file = files.open(path);
        FileInputStream in = new FileInputStream(file.path().toFile())) {
      byte[] bytes = in.readNBytes(size);
      if (bytes.length < size) {
        throw new IOException(path + " has become shorter");
      }
      return bytes;
    }
  }
}
