package stackweave.maps.modules;

import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.testing.Jazzer;

/** ELF files that Jazzer makes up, led by coverage: none makes more than an ElfFormatException. */
class ElfFuzzIT {
  @Test
  void elfFiles() throws Exception {
    Jazzer.run(ElfFuzz.class, 16384, List.of(ElfFuzzTest.KEPT));
  }
}
