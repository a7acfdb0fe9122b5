package stackweave.hotspot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/** Parked stacks against the JDK's own answer, on every JDK from 17 on that this machine has. */
@Tag("slow")
class ParkedStacksTest {
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  private static final List<List<String>> FLAGS =
      List.of(
          List.of(),
          List.of("-Xint"),
          List.of("-XX:TieredStopAtLevel=1"),
          List.of("-XX:-TieredCompilation", "-XX:+PreserveFramePointer"),
          List.of("-XX:+UseSerialGC", "-XX:-UseCompressedOops"));

  @TestFactory
  Stream<DynamicTest> sameAsThreadGetStackTrace() throws IOException {
    return Jdk.all().stream()
        .flatMap(
            jdk ->
                FLAGS.stream()
                    .map(
                        flags ->
                            DynamicTest.dynamicTest(jdk + " " + flags, () -> run(jdk, flags))));
  }

  @TestFactory
  Stream<DynamicTest> mountedVirtualThreadsAndTheirCarriers() throws IOException {
    return Jdk.all().stream()
        .filter(jdk -> jdk.feature() >= FIRST_WITH_VIRTUAL_THREADS)
        .flatMap(
            jdk ->
                FLAGS.stream()
                    .map(
                        flags ->
                            DynamicTest.dynamicTest(
                                "virtual " + jdk + " " + flags,
                                () -> run(jdk, virtual(flags), "virtual"))));
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
