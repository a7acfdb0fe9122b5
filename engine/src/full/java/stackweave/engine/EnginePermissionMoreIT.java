package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.linux.SystemCalls;
import stackweave.testing.ByChance;
import stackweave.testing.Commands;

/** More limits, users and filters. */
class EnginePermissionMoreIT extends PermittedEngine {
  private static final int ENOSYS = 38;

  @ByChance
  @Test
  void anOrdinaryUserMaySampleUserModeByPerf() throws Exception {
    EngineJvm.Result result =
        jvm.run(jdks().get(0), ordinaryUser(), "1000", "400", "0", "PERF_USER");

    assertEquals("PERF_USER", result.line("engine"), result.output());
    assertEquals("", result.line("refusal"));
    assertCovered(result);
    assertRanOn(result);
  }

  /** What an unprivileged user under a filter has left, with even process_vm_readv denied. */
  @ByChance
  @Test
  void anOrdinaryUserUnderAFilterHasTimersToo() throws Exception {
    List<String> wrapper = new ArrayList<>(denying(EPERM, perfEventOpen(), 310, 311));
    wrapper.addAll(ordinaryUser());
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "numbers of x86-64");
    EngineJvm.Result result = jvm.run(jdks().get(0), wrapper, "1000", "400", "0");

    assertEquals("TIMER", result.line("engine"), result.output());
    assertEquals("PROC_SELF_MEM", result.line("way"), result.output());
    assertCovered(result);
    assertRanOn(result);
  }

  /** Without a file in memory, and without the kernel's word on where stacks are. */
  @ByChance
  @Test
  void timersNeedNoMemoryFile() throws Exception {
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "numbers of x86-64");
    EngineJvm.Result result =
        jvm.run(jdks().get(0), denying(EPERM, 319, 274), "1000", "400", "0", "TIMER");

    assertEquals("TIMER", result.line("engine"), result.output());
    assertEquals("", result.line("refusal"));
    assertCovered(result);
    assertRanOn(result);
  }

  /** The kernel that runs this has perf events, whatever the filter makes of it. */
  @Test
  void aKernelWithoutPerfIsToldFromAFilter() throws Exception {
    EngineJvm.Result result =
        jvm.run(jdks().get(0), denying(ENOSYS, perfEventOpen()), "1000", "50", "0", "PERF");

    assertTrue(result.line("refusal").startsWith("BLOCKED perf: a filter"), result.output());
    assertTrue(result.line("refusal").endsWith("[ENOSYS]"), result.output());
    assertRanOn(result);
  }

  @Test
  void whereReadingOwnMemoryByVectorIsDeniedProcSelfMemServes() throws Exception {
    int processVmReadv = SystemCalls.current().orElseThrow() == SystemCalls.X86_64 ? 310 : 270;
    EngineJvm.Result result =
        jvm.run(jdks().get(0), denying(EPERM, processVmReadv), "1000", "50", "0");

    assertEquals("PROC_SELF_MEM", result.line("way as asked"), result.output());
    assertEquals("PROC_SELF_MEM", result.line("way"), result.output());
    assertRanOn(result);
  }

  /** Not even /proc/self/mem: samples come all the same, and what denies it has a name. */
  @ByChance
  @Test
  void whereOwnMemoryIsDeniedAltogetherThatIsSaid() throws Exception {
    assumeTrue(isRoot(), "needs a mount");
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "numbers of x86-64");
    Path unreadable = Files.createFile(directory.resolve("unreadable"));
    Files.setPosixFilePermissions(unreadable, Set.of());
    List<String> wrapper =
        new ArrayList<>(
            List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount --bind \"$0\" /proc/$$/mem && exec \"$@\"",
                unreadable.toString()));
    wrapper.addAll(denying(EPERM, 310, 311));
    wrapper.addAll(ordinaryUser());
    EngineJvm.Result result = jvm.run(jdks().get(0), wrapper, "1000", "200", "0");
    assumeTrue(!result.output().contains("mount:"), result::output);

    assertEquals("NONE", result.line("way"), result.output());
    assertEquals(
        "process_vm_readv [EPERM], /proc/self/mem [EACCES]", result.line("denial of the asked"));
    assertEquals(
        "process_vm_readv not tried: a seccomp filter may kill; memory=process_vm_readv tries it,"
            + " /proc/self/mem [EACCES]",
        result.line("denial"));
    assertCovered(result);
    assertEquals("done", result.line("application"), result.output());
    assertEquals(0, result.exit(), result.output());
  }

  /**
   * Half of the descriptors that are free are the application's, whether events of threads run or
   * give way to those of CPUs.
   */
  @ParameterizedTest
  @CsvSource({"2000, PERF, FILE_DESCRIPTORS=[0-9]", "100, PERF_THREAD, FILE_DESCRIPTORS=[0-9]{3}"})
  void theApplicationKeepsItsFileDescriptors(int threads, String engine, String descriptors)
      throws Exception {
    assumeTrue(isRoot(), "perf events of CPUs are root's");
    List<String> wrapper = List.of("prlimit", "--nofile=4096:4096");
    EngineJvm.Result result =
        jvm.run(jdks().get(0), wrapper, "1000", "50", Integer.toString(threads), "PERF_THREAD");

    assertEquals(engine, result.line("engine"), result.output());
    String refusal = result.line("refusal");
    assertTrue(
        engine.equals("PERF_THREAD")
            ? refusal.isEmpty()
            : refusal.matches(
                "FILE_DESCRIPTORS perf-thread: 20[0-9]+ threads on [0-9]+ CPUs need .*more than"
                    + " 1[0-9]{3} would be taken from the application.*"),
        refusal);
    assertTrue(result.line("statistics").matches(".* " + descriptors + ",.*"), result.output());
    String[] opened = result.line("opened").split(" of ");
    assertTrue(Integer.parseInt(opened[1]) > 1500, result.output());
    assertEquals(opened[1], opened[0], "descriptors that the application could open");
    assertRanOn(result);
  }

  @Test
  void theApplicationKeepsItsQueueOfSignals() throws Exception {
    // 200 idle threads against half of a queue of 300 signals.
    EngineJvm.Result result =
        jvm.run(
            jdks().get(0),
            List.of("prlimit", "--sigpending=300:300"),
            "1000",
            "50",
            "200",
            "TIMER");

    assertEquals("PERF", result.line("engine"), result.output());
    String refusal = result.line("refusal");
    assertTrue(
        refusal.matches(
            "SIGNAL_QUEUE timer: [0-9]+ threads need .* more than 1[0-9]+ .*ulimit -i.*"),
        refusal);
    assertRanOn(result);
  }

  /** An unprivileged user gets perf_event_mlock_kb per CPU and RLIMIT_MEMLOCK beyond that. */
  @Test
  void whatTheRingsNeedIsWithinWhatAnOrdinaryUserHas() throws Exception {
    List<String> wrapper = new ArrayList<>(List.of("prlimit", "--memlock=0:0"));
    wrapper.addAll(ordinaryUser());
    EngineJvm.Result result = jvm.run(jdks().get(0), wrapper, "10000", "100", "0", "PERF_USER");

    assertEquals("PERF_USER", result.line("engine"), result.output());
    assertTrue(result.line("statistics").contains("RING_BYTES=524288"), result.output());
    assertRanOn(result);
  }

  /** The allowance is one for all processes of a user: a second engine finds it used up. */
  @ParameterizedTest
  @CsvSource({"0, RING_MEMORY, 0", "200000, '', 131072"})
  void ringsShrinkToWhatIsGrantedAndNoFurther(int memlockPerCpu, String refusal, int ringBytes)
      throws Exception {
    assumeTrue(isRoot(), "needs a user of its own");
    int cpus = CpuSet.ofProcess().length;
    String online = Commands.output(List.of("getconf", "_NPROCESSORS_ONLN")).strip();
    assumeTrue(online.equals(Integer.toString(cpus)), "the allowance goes by all CPUs");
    int memlock = memlockPerCpu * cpus;
    List<String> wrapper =
        new ArrayList<>(List.of("prlimit", "--memlock=" + memlock + ":" + memlock));
    // One user per case: the kernel gives the memory back when it likes.
    wrapper.addAll(user(54_321 + memlock));
    EngineJvm.Result result =
        jvm.run(jdks().get(0), wrapper, "10000", "50", "0", "PERF_USER", "beside");

    assertTrue(result.line("beside").contains("RING_BYTES=524288"), result.output());
    String first = result.line("refusal").replaceAll("(?s)\n.*", "");
    if (ringBytes == 0) {
      assertTrue(first.startsWith(refusal + " perf-user: "), result.output());
      assertTrue(first.endsWith("[EPERM]"), first);
    } else {
      assertEquals("PERF_USER", result.line("engine"), result.output());
      assertTrue(result.line("statistics").contains("RING_BYTES=" + ringBytes), result.output());
    }
    assertRanOn(result);
  }
}
