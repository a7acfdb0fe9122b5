package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Platform;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.lab.recording.PlainRecording;
import stackweave.live.support.Jvms;
import stackweave.live.support.Musl;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.live.support.Stacks.Sample;
import stackweave.testing.ByChance;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/**
 * The lab's program in a JVM on musl's loader, with musl's threads and memory: stacks reach the
 * thread's first frame, and what is known of them is so.
 */
@ByChance
class MuslIT {
  static final String LAB = "stackweave.samples.lab.JniLab";

  /**
   * Of complete stacks and exact chains. Timers have no stack of a thread that musl does not list
   * yet: up to 0.5 % on a busy machine.
   */
  private static final double SHARE = 0.99;

  /** Samples in the lab's functions. */
  private static final int ENOUGH = 60;

  private static final String LOADER = "ld-musl-";

  @ParameterizedTest
  @ValueSource(strings = {"perf", "timer"})
  void stacksAreCompleteAndTrue(String engine) throws Exception {
    Jdk jdk = Musl.jdk();
    Ended[] run = new Ended[1];
    Stacks[] stacks = new Stacks[1];
    Enough.until(
        () -> inLab(stacks[0]).size() >= ENOUGH,
        () -> {
          run[0] =
              Jvms.hotWithoutLibraries(jdk)
                  .agent("interval=2ms", "drain=100", "engine=" + engine)
                  .recording()
                  .options("-Dsamples.clock=cpu", "-XX:+UseSerialGC")
                  .run(LAB, "0.6")
                  .successfully();
          stacks[0] = Stacks.of(run[0].recording());
        });
    assertEquals(List.of(), run[0].errLines());
    check(engine, run[0].recording(), stacks[0], jdk);
  }

  /** On Alpine nothing takes the place of what musl lacks, as lab/musl does here. */
  @Test
  void nothingIsLackingButWhatIsNeverCalled() throws Exception {
    Path loader = loaderOf(Musl.jdk());
    Path library = Files.createTempFile(Path.of("target"), "jnidispatch", ".so");
    String name = "/com/sun/jna/" + Platform.RESOURCE_PREFIX + "/libjnidispatch.so";
    try (InputStream in = Platform.class.getResourceAsStream(name)) {
      Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
    }
    Set<String> needed = new HashSet<>();
    for (String line : Commands.output("nm", "-D", "--undefined-only", library).split("\n")) {
      String[] words = line.strip().split(" ");
      if (words[0].equals("U")) {
        needed.add(words[1].replaceFirst("@.*", ""));
      }
    }
    Files.delete(library);
    assertTrue(needed.contains("strlen"), needed::toString);
    exported(loader).forEach(symbol -> needed.remove(symbol.substring(symbol.indexOf(' ') + 1)));
    assertEquals(Set.of("__strdup"), needed);
  }

  static void check(String engine, Path file, Stacks stacks, Jdk jdk) throws Exception {
    PlainRecording recording = PlainRecording.of(file);
    assertEquals(engine, recording.engine());
    assertFalse(recording.note().contains("not understood"), recording.note());
    recording.statuses.forEach(
        status -> assertFalse(status.getString("links").contains("broken"), status::toString));
    assertEquals(0, stacks.unresolved());
    System.out.print(engine + " on musl:\n" + stacks.endsTable());
    long complete = stacks.of(stacks::isComplete).count();
    Promise.atLeast("complete stacks", SHARE, complete, stacks.samples().size());
    checkChains(stacks);
    checkNames(stacks, jdk);
  }

  private static List<Sample> inLab(Stacks stacks) {
    LabChains chains = new LabChains();
    return stacks
        .of(sample -> stacks.isComplete(sample) && !sample.frames().isEmpty())
        .filter(sample -> !chains.to(sample.innermost().name()).isEmpty())
        .toList();
  }

  private static void checkChains(Stacks stacks) {
    LabChains chains = new LabChains();
    List<Sample> known = inLab(stacks);
    List<Sample> wrong =
        known.stream()
            .filter(
                sample ->
                    chains.to(sample.innermost().name()).stream()
                        .noneMatch(chain -> chain.matches(sample)))
            .toList();
    wrong.stream().limit(3).forEach(System.out::println);
    assertTrue(known.size() >= ENOUGH, () -> known.size() + " samples of the lab's functions");
    Promise.atLeast("exact chains", SHARE, known.size() - wrong.size(), known.size());
  }

  /** The names of musl's exported functions are those of nm, and some are there. */
  private static void checkNames(Stacks stacks, Jdk jdk) throws Exception {
    Set<String> exported = exported(loaderOf(jdk));
    Set<String> named = new HashSet<>();
    for (Sample sample : stacks.samples()) {
      for (Frame frame : sample.frames()) {
        boolean isNamed = !frame.name().startsWith(LOADER) && !frame.name().equals("thread_start");
        if (frame.module().startsWith(LOADER) && isNamed) {
          named.add(frame.symbolStart() + " " + frame.name());
        }
      }
    }
    assertFalse(named.isEmpty());
    named.removeAll(exported);
    assertEquals(Set.of(), named);
  }

  /** Address and name of each. */
  private static Set<String> exported(Path loader) throws Exception {
    Set<String> exported = new HashSet<>();
    for (String line : Commands.output("nm", "-D", "--defined-only", loader).split("\n")) {
      String[] words = line.split(" ");
      exported.add(Long.parseLong(words[0], 16) + " " + words[words.length - 1]);
    }
    return exported;
  }

  private static Path loaderOf(Jdk jdk) throws IOException {
    try (Stream<Path> files = Files.list(jdk.home().getParent())) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(LOADER))
          .findFirst()
          .orElseThrow();
    }
  }
}
