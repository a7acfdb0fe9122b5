package stackweave.hotspot.heap;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/**
 * On the oldest and the newest JDK (with {@code -Djdks=every} on all) and with every layout of
 * objects: the names of threads in the heap are those that the threads have, also while a collector
 * moves them, or none is read.
 */
class HeapNamesIT {
  private static final List<String> COLLECTORS =
      List.of("UseSerialGC", "UseParallelGC", "UseG1GC", "UseShenandoahGC");

  @TestFactory
  Stream<DynamicTest> namesAreThoseOfTheThreads() {
    List<DynamicTest> tests = new ArrayList<>();
    Jdk.onOldest()
        .forEach(jdk -> COLLECTORS.forEach(collector -> tests.add(test(jdk, "-XX:+" + collector))));
    for (Jdk jdk : Jdk.onNewest().toList()) {
      tests.add(test(jdk, "-XX:-UseCompressedOops"));
      tests.add(test(jdk, "-Xmx40g"));
      if (jdk.feature() < 27) {
        tests.add(test(jdk, "-XX:-UseCompressedOops", "-XX:-UseCompressedClassPointers"));
      }
      if (jdk.feature() >= 25) {
        tests.add(test(jdk, "-XX:+UseCompactObjectHeaders"));
        tests.add(test(jdk, "-XX:+UseCompactObjectHeaders", "-XX:+UseShenandoahGC"));
        tests.add(test(jdk, "-XX:-UseCompactObjectHeaders"));
      }
    }
    return tests.stream();
  }

  @TestFactory
  Stream<DynamicTest> colouredPointersAreNotRead() {
    return Jdk.all().stream()
        .map(
            jdk ->
                DynamicTest.dynamicTest(
                    jdk.toString(),
                    () ->
                        Assertions.assertEquals(
                            List.of("none"), run(jdk, List.of("-XX:+UseZGC"), "none"))));
  }

  private static DynamicTest test(Jdk jdk, String... flags) {
    List<String> all = List.of(flags);
    return DynamicTest.dynamicTest(jdk + " " + all, () -> run(jdk, all));
  }

  private static List<String> run(Jdk jdk, List<String> flags, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(jdk.java().toString(), "-Xmx512m"));
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(HeapNames.class.getName());
    command.addAll(List.of(arguments));
    return Commands.run(command.toArray()).successfully().outLines();
  }
}
