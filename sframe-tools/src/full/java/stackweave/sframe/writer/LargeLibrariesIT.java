package stackweave.sframe.writer;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** As {@link ReadelfRowsTest} and {@link RoundTripTest}, of large libraries. */
class LargeLibrariesIT {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/lib/x86_64-linux-gnu/libcrypto.so.3",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
        "${java.home}/lib/server/libjvm.so",
        "/usr/lib/jvm/temurin-25-jdk-amd64/lib/server/libjvm.so"
      })
  void everyRowIsTheSame(String name) throws Exception {
    new ReadelfRowsTest().everyRowIsTheSame(name);
  }

  static Stream<Arguments> files() {
    return Stream.of(
            "/lib/x86_64-linux-gnu/libcrypto.so.3",
            "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
            "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so",
            "/usr/lib/jvm/temurin-25-jdk-amd64/lib/server/libjvm.so")
        .map(Path::of)
        .flatMap(file -> Stream.of(Arguments.of(file, 3), Arguments.of(file, 2)));
  }

  @ParameterizedTest
  @MethodSource("files")
  void readerOfWriterIsTheSame(Path file, int version) throws Exception {
    new RoundTripTest().readerOfWriterIsTheSame(file, version);
  }

  @ParameterizedTest
  @MethodSource("files")
  void objdumpReadsTheSame(Path file, int version) throws Exception {
    new RoundTripTest().objdumpReadsTheSame(file, version);
  }
}
