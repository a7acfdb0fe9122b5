package stackweave.tableless.x86;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** As {@link InstructionTest} of the C library, and all of larger ones. */
class InstructionLengthsIT {
  /** Libraries with hand-written assembly of their own, where they are installed. */
  static List<Path> libraries() throws Exception {
    List<Path> libraries = new ArrayList<>();
    libraries.add(InstructionTest.libcFile());
    libraries.add(Path.of(System.getProperty("java.home"), "lib/server/libjvm.so"));
    Path directory = InstructionTest.libcFile().getParent();
    for (String name : List.of("libm.so.6", "libcrypto.so.3", "libgmp.so.10", "libz.so.1")) {
      if (Files.exists(directory.resolve(name))) {
        libraries.add(directory.resolve(name).toRealPath());
      }
    }
    return libraries;
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void areWhatObjdumpSays(Path library) throws Exception {
    InstructionTest.compareLengths(library, 400_000);
  }
}
