package stackweave.live.harm;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import stackweave.live.support.Jvms;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** What a process has because of the agent: FootprintApp with it, less FootprintApp without it. */
final class Footprint {

  private static final Map<Jdk, Footprint> MADE = new ConcurrentHashMap<>();

  /** How long to look for the cleanup, in seconds: the promise. It takes 2. */
  private static final int MAX = 60;

  private final List<String> without;
  private final List<String> with;

  private Footprint(List<String> without, List<String> with) {
    this.without = without;
    this.with = with;
  }

  static Footprint on(Jdk jdk) {
    return MADE.computeIfAbsent(
        jdk,
        key -> {
          String app = "stackweave.live.harm.FootprintApp";
          ForkedJvm without = Jvms.withoutLibraries(jdk);
          ForkedJvm with = Jvms.withoutLibraries(jdk).agent();
          RunningCommand first = without.start(app, "0");
          RunningCommand second = with.start(app, Integer.toString(MAX));
          return new Footprint(
              without.end(first).successfully().outLines(),
              with.end(second).successfully().outLines());
        });
  }

  /**
   * What only the process with the agent has in a stage, such as {@code thread NAME} or {@code fd
   * anon_inode:[perf_event]}. Stages after the first moment after the recording are compared with
   * that moment of the process without the agent.
   *
   * @param what {@code thread}, {@code fd} or {@code map}
   */
  List<String> of(String stage, String what) {
    List<String> left = lines(with, stage, what);
    lines(without, stage.startsWith("after-") ? "after-0" : stage, what).forEach(left::remove);
    // Of its own threads the JVM makes as many as it finds useful at the moment.
    left.removeIf(
        line ->
            line.matches(
                "thread (GC Thread|G1 |C1 Comp|C2 Comp|Common-Cleaner|Attach Listener|Cleaner-).*"));
    return left;
  }

  /** The stages of which the process spoke. */
  boolean has(String stage) {
    return with.stream().anyMatch(line -> line.startsWith(stage + " "));
  }

  private static List<String> lines(List<String> out, String stage, String what) {
    List<String> lines = new ArrayList<>();
    for (String line : out) {
      if (line.startsWith(stage + " " + what + " ")) {
        lines.add(comparable(line.substring(stage.length() + 1)));
      }
    }
    return lines;
  }

  /** Without what differs between any two runs: process ids, times and directories. */
  static String comparable(String line) {
    return line.replaceFirst("target/it/jvm[^/]*", "target/it/jvm").replaceAll("[0-9]{2,}", "N");
  }
}
