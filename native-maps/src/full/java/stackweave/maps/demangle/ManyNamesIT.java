package stackweave.maps.demangle;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.maps.RealLibraries;

/** As {@link DemanglerTest}, of libjvm, and for longer. */
class ManyNamesIT {
  @TempDir Path directory;

  static List<Path> libraries() {
    return RealLibraries.large();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void allFunctions(Path library) throws Exception {
    DemanglerTest test = new DemanglerTest();
    test.directory = directory;
    test.allFunctionsOfRealLibraries(library);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void brokenNames(Path library) throws Exception {
    DemanglerTest.checkBroken(library, 20_000);
  }
}
