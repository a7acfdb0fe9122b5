package stackweave.live.tableless;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.lab.Sampling;

/**
 * Runs code that was made at run time and tells of it in three ways ({@code jitted.c}): {@code
 * JittedApp LIBRARY DIRECTORY CPU_SECONDS}. The jitdump file is written into the directory, the
 * perf map into /tmp.
 */
final class JittedApp {
  private static final int PAGE = 4096;
  private static final int FUNCTIONS = 4;
  private static final int CODE_BYTES = 9;

  private JittedApp() {}

  static native long make();

  static native void map(String file);

  static native long run(int which, long rounds);

  public static void main(String[] args) throws Exception {
    Sampling.await();
    System.load(Path.of(args[0]).toString());
    long code = make();
    long pid = ProcessHandle.current().pid();
    Path perfMap = Path.of("/tmp/perf-" + pid + ".map");
    Files.writeString(
        perfMap, Long.toHexString(code + PAGE) + " " + CODE_BYTES + " by_map(int) /a/b.js:3\n");
    try {
      Path dump = Path.of(args[1]).resolve("jit-" + pid + ".dump");
      Files.write(dump, jitDump(code + 2 * PAGE));
      map(dump.toString());
      long end = Sampling.cpuNanos() + (long) (Double.parseDouble(args[2]) * 1e9);
      long result = 0;
      while (Sampling.cpuNanos() < end) {
        for (int i = 0; i < FUNCTIONS; i++) {
          result += run(i, 5_000_000);
        }
      }
      System.out.println(result);
    } finally {
      Files.delete(perfMap);
    }
  }

  private static byte[] jitDump(long address) {
    byte[] name = "by_dump\0".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer file = ByteBuffer.allocate(40 + 56 + name.length + CODE_BYTES);
    file.order(ByteOrder.nativeOrder());
    file.putInt(0x4A695444).putInt(1).putInt(40).putInt(62).position(40);
    file.putInt(0).putInt(file.limit() - 40).putLong(1).putInt(1).putInt(1);
    file.putLong(address).putLong(address).putLong(CODE_BYTES).putLong(0).put(name);
    return file.array();
  }
}
