package stackweave.maps.jit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Perf maps, jitdump files and objects with bytes changed: no more than the known reasons. */
class JitFuzzTest {

  @Test
  void whatEnginesWrite(@TempDir Path seeds) throws Exception {
    makeSeeds(seeds);
    Random random = new Random(1);
    for (String name : List.of("map", "dump")) {
      byte[] seed = Files.readAllBytes(seeds.resolve(name));
      for (int i = 0; i < 2_000; i++) {
        byte[] bytes = seed.clone();
        for (int changes = random.nextInt(3); changes >= 0; changes--) {
          bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        JitFuzz.fuzzerTestOneInput(bytes);
      }
    }
  }

  /** Writes what {@link JitFuzz} begins with. */
  static void makeSeeds(Path seeds) throws Exception {
    Files.write(
        seeds.resolve("map"), "\0007f0000001000 40 fib\n".getBytes(StandardCharsets.ISO_8859_1));
    ByteBuffer dump = ByteBuffer.allocate(140).order(ByteOrder.nativeOrder());
    dump.putInt(0x4A695444).putInt(1).putInt(40).position(40);
    dump.putInt(0).putInt(60).putLong(1).putLong(7).putLong(1).putLong(0x7000).putLong(16);
    dump.putLong(1).putInt(0x666f6f);
    ByteArrayOutputStream seed = new ByteArrayOutputStream();
    seed.write(1);
    seed.write(dump.array());
    Files.write(seeds.resolve("dump"), seed.toByteArray());
  }
}
