package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.agent.apps.Works;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;
import stackweave.testing.EventsByTime;

/** A JVM under a filter, and what it recorded. */
@ResourceLock("FilteredJvm") // its tools are those of a class at a time
abstract class FilteredJvm {
  static final int SAMPLES = 10;

  /**
   * CPU time in which there are as many, and twenty-five times as many at 4 ms, the kernel's tick:
   * some machines deliver a tenth of their ticks.
   */
  static final Duration WORK = Duration.ofSeconds(1);

  /** Of the own memory: for frames, and the timer engine's for stacks. */
  static final int READERS = 2;

  static final String NOT_TRIED = "perf not tried: a seccomp filter may kill; engine=perf tries it";

  static final String MEMORY_NOT_TRIED =
      "memory is read through /proc/self/mem, process_vm_readv not tried: a seccomp filter may"
          + " kill; memory=process_vm_readv tries it";

  /** Whatever a profiler, or this one in a later version, may come to call. */
  static final String ALL =
      "perf_event_open,process_vm_readv,process_vm_writev,memfd_create,get_robust_list,eventfd2,"
          + "timerfd_create,signalfd4,bpf,ptrace,kcmp,userfaultfd,io_uring_setup,pidfd_getfd,"
          + "rt_tgsigqueueinfo,process_madvise,openat2,setfsuid";

  @TempDir static Path tools;

  /** What profilers need, and few others. */
  static final String OF_PROFILERS =
      "perf_event_open,process_vm_readv,process_vm_writev,memfd_create,get_robust_list,ptrace,bpf";

  static Killing killing;

  @TempDir Path directory;

  @BeforeAll
  static void compile() throws Exception {
    killing = Killing.in(tools);
  }

  /** The command record, which a call that profilers need kills; its options are to follow. */
  static List<Object> recordUnderFilter(Jvm jvm) {
    List<Object> command = new ArrayList<>(killing.whoCalls(OF_PROFILERS));
    command.addAll(List.of(jvm.home().resolve("bin/java"), "-jar", Jars.AGENT, "record"));
    return command;
  }

  static int memoryFiles(long pid) throws IOException {
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

  List<String> works(String options) {
    return arguments(options, Works.class);
  }

  List<String> arguments(String options, Class<?> application) {
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

  String statusEvents() throws Exception {
    StringBuilder all = new StringBuilder();
    EventsByTime.statuses(directory.resolve("rec.jfr")).stream().forEach(all::append);
    return all.toString();
  }

  /** A stack of the application's main thread, which waits nearly always. */
  void assertHasWallSamples() throws Exception {
    assertTrue(
        RecordingFile.readAllEvents(directory.resolve("rec.jfr")).stream()
            .anyMatch(
                event ->
                    event.getEventType().getName().equals("stackweave.WallSample")
                        && event.getLong("stackId") != 0));
  }

  void assertHasSamples() throws Exception {
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

  void assertNotMet(Jvm jvm, String calls, String engine) throws Exception {
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
}
