package stackweave.lab.matrix;

import java.util.List;

/** JVM options under which the phases run; an empty list is the default. */
public record FlagSet(List<String> flags) {
  public static final FlagSet DEFAULT = new FlagSet(List.of());

  private static final List<String> ALL =
      List.of(
          "",
          "-Xint",
          "-XX:TieredStopAtLevel=1",
          "-XX:-TieredCompilation",
          "-XX:+UseG1GC",
          "-XX:+UseParallelGC",
          "-XX:+UseSerialGC",
          "-XX:+UseZGC",
          "-XX:+UseZGC -XX:+ZGenerational",
          "-XX:+UseShenandoahGC",
          "-XX:+UseShenandoahGC -XX:+UnlockExperimentalVMOptions"
              + " -XX:ShenandoahGCMode=generational",
          "-XX:-UseCompressedOops",
          "-XX:-UseCompressedClassPointers",
          "-XX:+UseCompactObjectHeaders",
          "-XX:-UseCompactObjectHeaders",
          "-XX:+PreserveFramePointer",
          "-Xshare:off",
          "-XX:-SegmentedCodeCache",
          // A fourth code heap, of compiled methods that are moved there while they run.
          "-XX:+UnlockExperimentalVMOptions -XX:+NMethodRelocation -XX:+HotCodeHeap"
              + " -XX:HotCodeHeapSize=32m -XX:HotCodeStartupDelaySeconds=1"
              + " -XX:HotCodeSampleSeconds=1 -XX:HotCodeIntervalSeconds=1");

  /** All sets of the matrix, the default first. */
  public static List<FlagSet> all() {
    return ALL.stream().map(FlagSet::of).toList();
  }

  /** Options separated by blanks; none for {@code ""} and for {@code "default"}. */
  public static FlagSet of(String text) {
    String flags = text.strip();
    return flags.isEmpty() || flags.equals("default")
        ? DEFAULT
        : new FlagSet(List.of(flags.split("\\s+")));
  }

  @Override
  public String toString() {
    return flags.isEmpty() ? "default" : String.join(" ", flags);
  }
}
