package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.LoadsWhenTold;
import stackweave.agent.apps.Works;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Gcc;

/**
 * JVMs under seccomp filters that kill: none of the calls that a usual service doesn't make is
 * made, and what they are for is had without them.
 */
@Order(5)
class SeccompIT {
  private static final int SAMPLES = 10;

  /**
   * CPU time in which there are as many, and twenty-five times as many at 4 ms, the kernel's tick:
   * some machines deliver a tenth of their ticks.
   */
  private static final Duration WORK = Duration.ofSeconds(1);

  /** Of the own memory: for frames, and the timer engine's for stacks and for masks. */
  private static final int READERS = 3;

  private static final String NOT_TRIED =
      "perf not tried: a seccomp filter may kill; engine=perf tries it";

  private static final String MEMORY_NOT_TRIED =
      "memory is read through /proc/self/mem, process_vm_readv not tried: a seccomp filter may"
          + " kill; memory=process_vm_readv tries it";

  /** Whatever a profiler, or this one in a later version, may come to call. */
  private static final String ALL =
      "perf_event_open,process_vm_readv,process_vm_writev,memfd_create,get_robust_list,eventfd2,"
          + "timerfd_create,signalfd4,bpf,ptrace,kcmp,userfaultfd,io_uring_setup,pidfd_getfd,"
          + "rt_tgsigqueueinfo,process_madvise,openat2,setfsuid";

  private static final String OF_PROFILERS =
      "perf_event_open,process_vm_readv,process_vm_writev,memfd_create,get_robust_list,ptrace,bpf";

  @TempDir private static Path tools;
  private static Killing killing;

  @TempDir private Path directory;

  @BeforeAll
  static void compile() throws Exception {
    killing = Killing.in(tools);
  }

  /** One call at a time on one JVM, all together on each; naming timers vouches for nothing. */
  static Stream<Arguments> filters() {
    Jvm oldest = Jvm.all().findFirst().orElseThrow();
    Stream<Arguments> single =
        Stream.of(
            Arguments.of(oldest, "perf_event_open", "auto"),
            Arguments.of(oldest, "process_vm_readv", "auto"),
            Arguments.of(oldest, "memfd_create", "timer"),
            Arguments.of(oldest, "get_robust_list", "timer"));
    Stream<Arguments> together =
        Stream.concat(
            Jvm.onOldest().map(jvm -> Arguments.of(jvm, ALL, "auto")),
            Jvm.onNewest().map(jvm -> Arguments.of(jvm, "@system-service", "auto")));
    return Stream.concat(single, together);
  }

  @ParameterizedTest
  @MethodSource("filters")
  void aFilterThatKillsIsNotMet(Jvm jvm, String calls, String engine) throws Exception {
    List<String> arguments = works("engine=" + engine + ",wall=20ms,blocked=5ms");
    try (LiveJvm live =
        LiveJvm.start(jvm, directory, killing.whoCalls(calls), arguments, new ArrayList<>())) {
      live.awaitSamplesOf("busy", WORK);
      String status = live.status();
      assertTrue(
          status.contains(engine.equals("auto") ? "engine: timer (" + NOT_TRIED : "engine: timer"),
          status);
      assertTrue(status.contains(MEMORY_NOT_TRIED), status);
      assertTrue(status.contains("blocked threads are not timed: perf not tried: "), status);
      assertEquals(READERS, memoryFiles(live.pid()));
      Ended result = live.end();
      assertEquals(0, result.exit(), result.err());
      assertEquals("done\n", result.out());
      assertEquals("", result.err());
    }
    assertHasSamples();
    assertHasWallSamples();
    assertTrue(statusEvents().contains(engine.equals("auto") ? NOT_TRIED : "engine = \"timer\""));
  }

  /** The command line attaches and leaves, under such a filter itself, and leaves nothing new. */
  @Test
  void recordsByTheCommandLine() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    List<String> app = List.of("-cp", Jars.apps().toString(), Works.class.getName());
    try (LiveJvm live =
        LiveJvm.start(jvm, directory, killing.whoCalls(ALL), app, new ArrayList<>())) {
      long[] code = new long[2];
      for (int round = 0; round < 2; round++) {
        Path recording = directory.resolve("rec" + round + ".jfr");
        List<String> command = new ArrayList<>(killing.whoCalls(OF_PROFILERS));
        command.addAll(List.of(jvm.home().resolve("bin/java").toString(), "-jar"));
        command.addAll(
            List.of(Jars.AGENT.toString(), "record", Long.toString(live.pid()), "-d", "2s"));
        command.addAll(List.of("-o", recording.toString(), "--interval", "2ms"));
        String said = Commands.run(command.toArray()).successfully().err();
        assertTrue(said.contains(NOT_TRIED), said);
        code[round] = anonymousCode(live.pid());
      }
      assertTrue(code[0] > 0, "no code of the handler");
      assertEquals(code[0], code[1], "the second agent uses what the first has left");
    }
  }

  /** Executable memory without a file that can't be written. */
  private static long anonymousCode(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
        .filter(line -> line.matches("\\S+ r-xp 00000000 00:00 0 *"))
        .count();
  }

  /** The user's word, which all readers keep to. */
  @ParameterizedTest
  @CsvSource({
    "true, process_vm_readv, 0",
    "false, proc_self_mem, " + READERS,
    "false, auto, 0",
  })
  void memoryIsReadAsAsked(boolean filtered, String access, int memoryFiles) throws Exception {
    Jvm jvm = Jvm.all().max(Comparator.comparing(Jvm::feature)).orElseThrow();
    List<String> under = filtered ? killing.whoCalls("kcmp") : List.of();
    List<String> arguments = works("engine=timer,memory=" + access);
    try (LiveJvm live = LiveJvm.start(jvm, directory, under, arguments, new ArrayList<>())) {
      live.awaitSamplesOf("busy", WORK);
      assertFalse(live.status().contains("/proc/self/mem"), live.status());
      assertEquals(memoryFiles, memoryFiles(live.pid()));
      assertEquals(0, live.end().exit());
    }
    assertHasSamples();
  }

  private static int memoryFiles(long pid) throws IOException {
    int count = 0;
    try (Stream<Path> fds = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path fd : fds.toList()) {
        try {
          count += Files.readSymbolicLink(fd).toString().matches("/proc/\\d+/mem") ? 1 : 0;
        } catch (NoSuchFileException e) {
          // The JVM has closed it meanwhile.
        }
      }
    }
    return count;
  }

  /** An application that puts all its threads under a filter when they run already. */
  @Test
  void aFilterThatComesLater() throws Exception {
    Path library = Gcc.compile(tools, "filter_later.c", "libfilter_later.so", "-shared", "-fPIC");
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    List<String> arguments = arguments("engine=auto,memory=auto", LoadsWhenTold.class);
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
      String before = live.awaitStatus("an engine", status -> status.contains("engine: "));
      assertFalse(before.contains("not tried"), before);
      live.tell(library.toString(), "loaded");
      String after = live.awaitStatus("another", status -> status.contains(NOT_TRIED));
      assertTrue(after.contains("engine: timer"), after);
      live.awaitSamplesOf("busy", WORK);
      assertEquals(READERS, memoryFiles(live.pid()));
      assertEquals(0, live.end().exit());
    }
    assertHasSamples();
  }

  private List<String> works(String options) {
    return arguments(options, Works.class);
  }

  private List<String> arguments(String options, Class<?> application) {
    return new ArrayList<>(
        Arrays.asList(
            "-Xlog:jfr+startup=off",
            "-Xlog:jfr+system=off",
            "-javaagent:" + Jars.AGENT + "=" + options,
            "-XX:StartFlightRecording:filename=rec.jfr,+stackweave.NativeSample#interval=2ms",
            "-XX:FlightRecorderOptions:repository=" + directory.resolve("repository"),
            "-cp",
            Jars.apps().toString(),
            application.getName()));
  }

  private String statusEvents() throws Exception {
    StringBuilder all = new StringBuilder();
    RecordingFile.readAllEvents(directory.resolve("rec.jfr")).stream()
        .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
        .forEach(all::append);
    return all.toString();
  }

  /** A stack of the application's main thread, which waits nearly always. */
  private void assertHasWallSamples() throws Exception {
    assertTrue(
        RecordingFile.readAllEvents(directory.resolve("rec.jfr")).stream()
            .anyMatch(
                event ->
                    event.getEventType().getName().equals("stackweave.WallSample")
                        && event.getLong("stackId") != 0));
  }

  private void assertHasSamples() throws Exception {
    long[] ofApplication = new long[1];
    SampledRecording.open(directory.resolve("rec.jfr"))
        .forEachStack(
            (thread, end, frames, count, weight) -> {
              if (end.isComplete()
                  && frames.stream().anyMatch(frame -> frame.text().endsWith("BurnsCpu.burn"))) {
                ofApplication[0] += count;
              }
            });
    assertTrue(ofApplication[0] >= SAMPLES, "whole stacks: " + ofApplication[0]);
  }
}
