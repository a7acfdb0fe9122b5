package stackweave.hotspot;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestFactory;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/** Parked stacks against the JDK's own answer, with the flags of most JVMs. */
@Order(1)
class ParkedStacksIT {
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  @TestFactory
  Stream<DynamicTest> sameAsThreadGetStackTrace() {
    return Jdk.onEnds().flatMap(jdk -> tests(jdk, List.of()));
  }

  /**
   * Of platform threads; and, where the JDK has them, of mounted virtual threads and their
   * carriers.
   */
  static Stream<DynamicTest> tests(Jdk jdk, List<String> flags) {
    DynamicTest platform = DynamicTest.dynamicTest(jdk + " " + flags, () -> run(jdk, flags));
    return jdk.feature() < FIRST_WITH_VIRTUAL_THREADS
        ? Stream.of(platform)
        : Stream.of(
            platform,
            DynamicTest.dynamicTest(
                "virtual " + jdk + " " + flags, () -> run(jdk, virtual(flags), "virtual")));
  }

  private static List<String> virtual(List<String> flags) {
    List<String> all = new ArrayList<>(flags);
    all.addAll(
        List.of(
            "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1"));
    return all;
  }

  private static void run(Jdk jdk, List<String> flags, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(jdk.java().toString());
    command.addAll(flags);
    Path log = Files.createTempFile("parked-stacks", ".log");
    command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+ShowHiddenFrames"));
    command.addAll(List.of("-Xbatch", "-Xlog:jit+compilation=debug:file=" + log + ":none"));
    command.add("-XX:CompileCommand=quiet");
    command.add("-XX:CompileCommand=exclude," + ParkedBodies.class.getName() + "::warm");
    command.add("-XX:CompileCommand=dontinline," + Gate.class.getName() + "::*");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(ParkedStacks.class.getName(), log.toString()));
    command.addAll(List.of(arguments));
    try {
      Commands.run(command.toArray()).successfully();
    } finally {
      Files.delete(log);
    }
  }
}
