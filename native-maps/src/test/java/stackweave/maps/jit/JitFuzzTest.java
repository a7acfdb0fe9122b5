package stackweave.maps.jit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Jazzer;

/** What Jazzer makes of perf maps, jitdump files and objects: no more than the known reasons. */
@Tag("slow")
class JitFuzzTest {

  @Test
  void whatEnginesWrite(@TempDir Path seeds) throws Exception {
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
    Jazzer.run(JitFuzz.class, 16384, List.of(seeds, Path.of("src/test/resources/fuzz/elf")));
  }
}
