package stackweave.maps.kernel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As {@link OwnSymbolsTest}, of this machine's kernel. */
class ThisKernelIT {
  @TempDir Path directory;

  @Test
  void thisKernel() throws IOException {
    Path kallsyms = Path.of("/proc/kallsyms");
    assumeTrue(Files.isReadable(kallsyms));
    String text = new String(Files.readAllBytes(kallsyms), StandardCharsets.US_ASCII);
    assumeTrue(!text.startsWith("0000000000000000 T _stext"), "hidden");
    assumeTrue(text.contains(" T _etext\n"));
    OwnSymbolsTest test = new OwnSymbolsTest();
    test.directory = directory;
    test.check(text);
  }
}
