import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Gives the entries of jars the modes 644 and 755: {@code java JarModes.java DIRECTORY} does so for
 * those in a directory. Maven's plugins store the files' own modes, which follow the umask of who
 * builds. Nothing else changes.
 */
class JarModes {
  private static final int END = 0x06054b50; // of the central directory
  private static final int END_SIZE = 22;
  private static final int ENTRY = 0x02014b50;
  private static final int ENTRY_SIZE = 46;
  private static final int FILE = 0100644;
  private static final int DIRECTORY = 040755;

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    if (!Files.isDirectory(directory)) {
      return; // the parent of all modules has none
    }
    List<Path> jars;
    try (Stream<Path> files = Files.list(directory)) {
      jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
    }
    for (Path jar : jars) {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(jar)).order(ByteOrder.LITTLE_ENDIAN);
      setModes(bytes, jar);
      try (FileChannel out = FileChannel.open(jar, StandardOpenOption.WRITE)) {
        while (bytes.hasRemaining()) {
          out.write(bytes);
        }
      }
    }
  }

  private static void setModes(ByteBuffer bytes, Path jar) throws IOException {
    int end = bytes.limit() - END_SIZE; // none of them has a comment
    if (end < 0 || bytes.getInt(end) != END) {
      throw new IOException(jar + " is no jar, or has a comment");
    }
    int at = bytes.getInt(end + 16);
    for (int left = Short.toUnsignedInt(bytes.getShort(end + 10)); left > 0; left--) {
      if (bytes.getInt(at) != ENTRY) {
        throw new IOException(jar + " has no entry at " + at);
      }
      int name = Short.toUnsignedInt(bytes.getShort(at + 28));
      boolean isDirectory = bytes.get(at + ENTRY_SIZE + name - 1) == '/';
      boolean isOfUnix = bytes.get(at + 5) == 3; // only then it has a mode
      if (isOfUnix) {
        bytes.putShort(at + 40, (short) (isDirectory ? DIRECTORY : FILE));
      }
      int extra = Short.toUnsignedInt(bytes.getShort(at + 30));
      int comment = Short.toUnsignedInt(bytes.getShort(at + 32));
      at += ENTRY_SIZE + name + extra + comment;
    }
  }
}
