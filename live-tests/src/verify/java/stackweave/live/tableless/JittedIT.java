package stackweave.live.tableless;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** Code that is made at run time has the name that its maker tells, in each of three ways. */
@Exact
class JittedIT {
  private static final String ENTRY = "Java_stackweave_live_tableless_JittedApp_run";
  private static final String UNNAMED = "[JIT code of libjitted.so]";

  /** A quarter is of each of four functions; they need not take the same time. */
  private static final double LEAST = 0.2;

  private static final Set<String> NAMED =
      Set.of(
          "by_gdb [JIT: libjitted.so]",
          "by_map(int) /a/b.js:3 [JIT: libjitted.so]",
          "by_dump [JIT: libjitted.so]");

  @Test
  void namesAreThoseThatWereTold(@TempDir Path directory) {
    check(Jdks.newest(), "perf", directory);
  }

  static void check(Jdk jdk, String engine, Path directory) {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "the code is for x86-64");
    Stacks[] last = new Stacks[1];
    List<Stacks.Sample> samples =
        Enough.of(80, () -> inGeneratedCode(last[0] = run(jdk, engine, directory)));
    Stacks stacks = last[0];
    Map<String, Integer> met = new TreeMap<>();
    for (Stacks.Sample sample : samples) {
      met.merge(sample.innermost().name(), 1, Integer::sum);
      Frame frame = sample.innermost();
      if (NAMED.contains(frame.name())) {
        assertEquals(0, frame.symbolStart() & 4095, "the function's start");
        assertTrue(frame.offset() < 9, "offset " + frame.offset());
      }
      assertTrue(stacks.isComplete(sample), sample::toString);
    }
    System.out.println(engine + " on " + jdk + ": " + met);
    assertTrue(samples.size() >= 80, samples.size() + " samples");
    for (String name : NAMED) {
      Promise.atLeast(name, LEAST, met.getOrDefault(name, 0), samples.size());
    }
    Promise.atLeast(UNNAMED, LEAST, met.getOrDefault(UNNAMED, 0), samples.size());
    assertEquals(NAMED.size() + 1, met.size(), met::toString);
  }

  private static Stacks run(Jdk jdk, String engine, Path directory) {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk);
    if (engine.equals("timer")) {
      jvm = jvm.under(Native.program("refuse_perf").toString());
    }
    Ended ended =
        jvm.agent("interval=1ms", "drain=100")
            .recording(Jvms.WITHOUT_JFR_SAMPLES)
            .run(
                "stackweave.live.tableless.JittedApp",
                Native.library("jitted").toString(),
                directory.toString(),
                "1")
            .successfully();
    return Stacks.of(ended.recording());
  }

  private static List<Stacks.Sample> inGeneratedCode(Stacks stacks) {
    return stacks
        .of(
            sample ->
                sample.frames().stream().anyMatch(frame -> frame.name().equals(ENTRY))
                    && sample.innermost().kind().equals("unknown")
                    && sample.innermost().module().isEmpty())
        .toList();
  }
}
