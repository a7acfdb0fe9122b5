package stackweave.maps.elf;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.maps.RealLibraries;

/** As {@link ElfImageTest}, of libjvm and the library of C++. */
class LargeImagesIT {
  static List<Path> libraries() {
    return RealLibraries.large();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void buildIdAndSections(Path library) throws Exception {
    new ElfImageTest().buildIdAndSections(library);
  }
}
