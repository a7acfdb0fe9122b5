package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.verify.Built;
import stackweave.verify.it.Stacks.Frame;

/**
 * A stripped library of assembly without unwind tables, and one whose tables are right at calls
 * only: each stack reaches the thread's first frame by the true callers, with perf and with timers,
 * and none of them is a guess.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TablelessIT {
  private static final String ENTRY = "Java_stackweave_verify_it_TablelessApp_run";
  private static final String SYNCHRONOUS = ENTRY + "Synchronous";

  /** The chains behind the entries, as the sources have them. */
  private static final Set<List<String>> CHAINS =
      Set.of(
          List.of(ENTRY),
          List.of(ENTRY, "mmap"), // for the generated code
          List.of(ENTRY, "mprotect"),
          List.of(ENTRY, "bare_outer"),
          List.of(ENTRY, "bare_outer", "bare_middle"),
          List.of(ENTRY, "bare_outer", "bare_middle", "bare_leaf"),
          List.of(ENTRY, "framed_outer"),
          List.of(ENTRY, "framed_outer", "keeps"),
          List.of(ENTRY, "framed_outer", "keeps", "framed_leaf"),
          List.of(ENTRY, "generated"),
          List.of(ENTRY, "generated", "bare_leaf"),
          List.of(ENTRY, "large_outer"),
          List.of(ENTRY, "large_outer", "large_leaf"),
          List.of(ENTRY, "lying_outer"),
          List.of(ENTRY, "lying_outer", "lying_leaf"),
          List.of(SYNCHRONOUS),
          List.of(SYNCHRONOUS, "sync_outer"),
          List.of(SYNCHRONOUS, "sync_outer", "sync_leaf"),
          List.of(SYNCHRONOUS, "sync_outer", "sync_tail_leaf"),
          List.of(SYNCHRONOUS, "sync_outer", "sync_more_1"), // which sync_tail_leaf ends with
          List.of(SYNCHRONOUS, "sync_outer", "sync_far_leaf"),
          List.of(SYNCHRONOUS, "sync_outer", "llabs@plt"), // by which that ends with
          List.of(SYNCHRONOUS, "sync_outer", "llabs"), // this one
          List.of(SYNCHRONOUS, "sync_outer", "sync_split_leaf"),
          List.of(SYNCHRONOUS, "sync_outer", "sync_part_leaf"));

  private final TreeMap<Long, String> functions = new TreeMap<>();
  private final TreeMap<Long, String> synchronousFunctions = new TreeMap<>();
  private Path library;
  private Path synchronous;

  @BeforeAll
  void strip(@TempDir Path directory) throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "the assembly is for x86-64");
    library = stripped(directory, "tableless", functions);
    synchronous = stripped(directory, "synchronous", synchronousFunctions);
  }

  private static Path stripped(Path directory, String name, TreeMap<Long, String> symbols)
      throws Exception {
    Path built = Built.library(name);
    for (String line : Commands.output("nm", "--defined-only", built.toString()).split("\n")) {
      String[] fields = line.split(" ");
      if (fields.length == 3 && "tT".contains(fields[1])) {
        symbols.put(Long.parseLong(fields[0], 16), fields[2]);
      }
    }
    Path stripped = directory.resolve("lib" + name + ".so");
    Commands.output("strip", "-s", "-o", stripped.toString(), built.toString());
    return stripped;
  }

  static Stream<Arguments> runs() {
    return Jdks.all().flatMap(jdk -> Stream.of("perf", "timer").map(e -> Arguments.of(jdk, e)));
  }

  @ParameterizedTest
  @MethodSource("runs")
  void allCallersAreTheTrueOnes(Jdk jdk, String engine) throws IOException {
    ForkedJvm jvm = Jvms.on(jdk);
    if (engine.equals("timer")) {
      jvm = jvm.under(Built.nativeFile("refuse_perf").toString());
    }
    Ended ended =
        jvm.agent("interval=1ms")
            .recording(Jvms.WITHOUT_JFR_SAMPLES)
            .run(
                "stackweave.verify.it.TablelessApp",
                library.toString(),
                synchronous.toString(),
                engine.equals("timer") ? "3" : "1.5") // the kernel's tick limits its timers
            .successfully();
    Stacks stacks = Stacks.of(ended.recording());
    Map<List<String>, Integer> met = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
    List<Stacks.Sample> others = new ArrayList<>();
    int samples = 0;
    for (Stacks.Sample sample : stacks.samples()) {
      List<String> chain = chain(sample.frames());
      if (!chain.isEmpty()) {
        samples++;
        met.merge(chain, 1, Integer::sum);
        boolean guessed = sample.frames().stream().anyMatch(Frame::isGuess);
        if (!CHAINS.contains(chain) || !isComplete(sample) || guessed) {
          others.add(sample);
        }
      }
    }
    System.out.println(engine + " on " + jdk + ": " + met);
    assertTrue(samples > 30, samples + " samples: " + stacks.status());
    assertEquals(List.of(), others);
    for (List<String> chain : CHAINS) {
      if (chain.size() > 1 && chain.get(chain.size() - 1).endsWith("leaf")) {
        assertTrue(met.containsKey(chain), () -> "none in " + chain);
      }
    }
  }

  /** oneDNN's code can bear no signal; it is told by its name. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void noSignalComesBesideCodeThatHasItsStackInTheHeap(Jdk jdk, @TempDir Path directory)
      throws IOException {
    Path named = Files.copy(library, directory.resolve("libdnnl.so.3"));
    Ended ended =
        Jvms.on(jdk)
            .under(Built.nativeFile("refuse_perf").toString())
            .agent("interval=1ms", "engine=timer")
            .recording(Jvms.WITHOUT_JFR_SAMPLES)
            .run("stackweave.verify.it.TablelessApp", named.toString(), synchronous.toString(), "2")
            .successfully();
    Stacks stacks = Stacks.of(ended.recording());
    List<String> reasons =
        RecordingFile.readAllEvents(ended.recording()).stream()
            .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
            .map(event -> event.getString("engineReason"))
            .toList();
    assertTrue(
        reasons.get(reasons.size() - 1).contains("timer: libdnnl.so.3 generates code"),
        reasons::toString);
    long sampled =
        stacks.samples().stream().filter(sample -> !chain(sample.frames()).isEmpty()).count();
    assertTrue(sampled < 10, () -> sampled + " samples: " + stacks.status());
  }

  private static boolean isComplete(Stacks.Sample sample) {
    return sample.end().equals("complete") || sample.end().equals("thread entry");
  }

  /**
   * The functions from the entry inwards, without the kernel's and those of the dynamic linker,
   * which binds a function at its first call; empty in other stacks.
   */
  private List<String> chain(List<Frame> frames) {
    List<String> chain = new ArrayList<>();
    for (Frame frame : frames) {
      if (frame.module().startsWith("ld-linux")) {
        break;
      }
      String name = name(frame);
      if (name.startsWith(ENTRY) || !chain.isEmpty() && !frame.kind().equals("kernel")) {
        chain.add(name);
      }
    }
    return chain;
  }

  private String name(Frame frame) {
    TreeMap<Long, String> symbols =
        switch (frame.module()) {
          case "libtableless.so" -> functions;
          case "libsynchronous.so" -> synchronousFunctions;
          default -> null;
        };
    // An entry of a procedure linkage table is no symbol of the library.
    if (symbols != null && !frame.name().endsWith("@plt")) {
      return symbols.floorEntry(frame.symbolStart() + frame.offset()).getValue();
    }
    return frame.name().equals("[JIT code of libtableless.so]")
        ? "generated"
        : frame.qualifiedName();
  }
}
