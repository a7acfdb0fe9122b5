package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.decode.ProcessView;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.SampledRecording;
import stackweave.linux.MemoryAccess;
import stackweave.testing.Gcc;

/**
 * Samples a process that is a JVM by its mappings, and lies: within bounds, into a recording that
 * can be read, with messages of one line.
 */
@Timeout(300)
class HostileTargetIT {
  /** Of CPU time of the target: 200 samples. */
  private static final long ENOUGH_NANOS = 2_000_000_000;

  /** More than what the same takes of an honest JVM. */
  private static final long MAX_HEAP = 150 << 20;

  @TempDir Path directory;
  private final List<String> messages = new ArrayList<>();
  private Process target;

  @BeforeEach
  void compile() throws Exception {
    try (ProcessView own =
        ProcessView.open(SampledProcess.OWN, MemoryAccess.AUTO, false, modules -> {})) {
      Files.writeString(directory.resolve("tables.h"), new VmTables(own).c());
    }
    Gcc.compile(
        directory,
        "hostile_jvm.c",
        "libjvm.so",
        "-DLIBRARY",
        "-shared",
        "-fPIC",
        "-w",
        "-I" + directory);
    Gcc.compile(directory, "hostile_jvm.c", "java", "-w", "-pthread", "-ldl");
  }

  @AfterEach
  void end() throws Exception {
    if (target != null) {
      target.destroyForcibly().waitFor();
    }
  }

  private void start(String how) throws Exception {
    Path files = Files.createDirectory(directory.resolve("files"));
    target =
        new ProcessBuilder(
                "" + directory.resolve("java"),
                "" + directory.resolve("libjvm.so"),
                how,
                "" + files)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertEquals(
        "ready", new BufferedReader(new InputStreamReader(target.getInputStream())).readLine());
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** Samples until there are enough samples; returns the recording's stacks with their threads. */
  private Map<String, Long> sample() throws Exception {
    Path file = directory.resolve("recording.jfr");
    long before = usedHeap();
    SamplingRequest request =
        new SamplingRequest(
            SampledEvent.CPU,
            10_000_000,
            EngineKind.PERF.label(),
            1024,
            Map.of(),
            false,
            List.of(),
            List.of());
    SampledProcess process = SampledProcess.other((int) target.pid());
    String report;
    long used;
    try (OutsideSampler sampler =
        new OutsideSampler(
            new OutsideSampler.Source(process, "a liar", EngineSource.OF_MACHINE),
            file,
            Options.parse("drain=100,hooks=off,jit=all"),
            List::of,
            new Messages(messages::add))) {
      sampler.start(request);
      while (!sampler.hasStarted()) {
        Thread.sleep(10);
      }
      long begin = process.cpuNanos();
      while (process.cpuNanos() - begin < ENOUGH_NANOS || !hasSamples(sampler.report())) {
        Thread.sleep(50);
      }
      used = usedHeap() - before;
      report = sampler.report();
    }
    System.out.println(used + " bytes of heap; " + report + messages);
    assertTrue(used < MAX_HEAP, used + " bytes of the heap");
    assertTrue(Files.size(file) < 32 << 20, Files.size(file) + " bytes of recording");
    for (String message : messages) {
      assertTrue(
          message.length() < 2000 && message.chars().noneMatch(Character::isISOControl), message);
    }
    Map<String, Long> stacks = new HashMap<>();
    SampledRecording recording = SampledRecording.open(file);
    recording.forEachSample(
        sample -> stacks.merge(sample.thread().name() + " " + sample.frames(), 1L, Long::sum));
    return stacks;
  }

  @Test
  void tablesThatDoNotEnd() throws Exception {
    start("endless");
    assertBurns(sample());
    assertTrue(messages.toString().contains("its vmStructs have no end"), "" + messages);
  }

  @Test
  void aNameThatATerminalWouldExecute() throws Exception {
    start("escape");
    assertBurns(sample());
    assertTrue(messages.toString().contains("an unknown platform"), "" + messages);
  }

  @Test
  void aCodeCacheOfTheWholeAddressSpace() throws Exception {
    start("space");
    assertFalse(sample().isEmpty());
  }

  @Test
  void mappingsThatComeAndGo() throws Exception {
    start("maps");
    assertBurns(sample());
  }

  private static boolean hasSamples(String report) {
    return report.lines().anyMatch(line -> line.matches("samples: .* [1-9]\\d* written.*"));
  }

  private static void assertBurns(Map<String, Long> stacks) {
    assertTrue(stacks.keySet().stream().anyMatch(stack -> stack.contains("burn")), "" + stacks);
  }
}
