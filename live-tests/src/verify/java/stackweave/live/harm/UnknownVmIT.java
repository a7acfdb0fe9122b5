package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;
import stackweave.testing.Jdk;

/** A JVM that lacks one entry of its own description: native frames, a clear word, no harm. */
class UnknownVmIT {
  private static final String MISSING = "_entry_bci";
  private static final String WORD =
      "native frames only: this JDK is not supported for Java frames: missing nmethod::" + MISSING;

  /** One whose home has all its files: not one in a chroot. */
  static Stream<Jdk> any() {
    return Jdks.all()
        .filter(jdk -> Files.isRegularFile(jdk.home().resolve("lib/jvm.cfg")))
        .limit(1);
  }

  @ParameterizedTest
  @MethodSource("any")
  void nativeFramesOnlyAndTheWordWhy(Jdk jdk) throws IOException {
    Jdk patched = PatchedJdk.without(jdk, MISSING);
    String app = "stackweave.samples.lab.JniLab";
    Ended alone = Jvms.on(jdk).options("-Dsamples.clock=cpu").run(app, "0.1").successfully();
    Ended sampled =
        Jvms.on(patched)
            .agent("interval=2ms", "drain=100")
            .recording()
            .options("-Dsamples.clock=cpu")
            .run(app, "0.6")
            .successfully();
    assertEquals(alone.outLines(), sampled.outLines());
    assertEquals(
        List.of("stackweave: " + WORD + "; the application runs on unharmed"), sampled.errLines());
    Set<String> notes =
        EventsByTime.statuses(sampled.recording()).stream()
            .map(event -> event.getString("note"))
            .collect(Collectors.toSet());
    // Before and behind it there may be what the machine is too busy for.
    assertTrue(notes.stream().allMatch(note -> note.contains(WORD)), notes::toString);

    Stacks stacks = Stacks.of(sampled.recording());
    System.out.printf("%s: %s%n%s", patched, stacks.status(), stacks.endsTable());
    assertTrue(stacks.samples().size() > 30, () -> "samples: " + stacks.status());
    Set<String> kinds =
        stacks.samples().stream()
            .flatMap(sample -> sample.frames().stream())
            .map(Stacks.Frame::kind)
            .collect(Collectors.toSet());
    assertTrue(Set.of("native", "kernel", "unknown").containsAll(kinds), kinds::toString);
    assertTrue(stacks.of(s -> s.end().equals("JDK not supported")).count() > 30, stacks::endsTable);
    assertTrue(
        stacks.samples().stream()
            .flatMap(sample -> sample.frames().stream())
            .anyMatch(frame -> frame.name().startsWith("lab_")),
        "no frame of the lab's C code");
  }
}
