package stackweave.agent.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.engine.perf.PerfRefusals;
import stackweave.agent.linux.SystemCalls;
import stackweave.jfr.control.EngineKind;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/** What is permitted decides which engine runs, and is said; the application runs on regardless. */
@Tag("slow")
class EnginePermissionTest {
  private static final int EPERM = 1;
  private static final int ENOSYS = 38;

  @TempDir static Path directory;
  private static EngineJvm jvm;
  private static String deny;

  @BeforeAll
  static void compile() throws Exception {
    jvm = new EngineJvm(directory);
    deny = Gcc.compile(directory, "deny.c", "deny").toString();
  }

  static List<Jdk> jdks() {
    return EngineJvm.jdks();
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void rootHasKernelFramesToo(Jdk jdk) throws Exception {
    assumeTrue(isRoot());
    EngineJvm.Result result = jvm.run(jdk, List.of(), "1000", "400", "0");

    assertEquals("PERF", result.line("engine"), result.output());
    assertEquals("", result.line("refusal"));
    assertCovered(result);
    assertTrue(Long.parseLong(result.line("withKernel")) > 0, result.output());
    assertRanOn(result);
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void anOrdinaryUserSamplesByTimers(Jdk jdk) throws Exception {
    int paranoid =
        Integer.parseInt(Files.readString(Path.of("/proc/sys/kernel/perf_event_paranoid")).strip());
    assumeTrue(paranoid == 2, () -> "kernel.perf_event_paranoid is " + paranoid);
    EngineJvm.Result result = jvm.run(jdk, ordinaryUser(), "1000", "400", "0");

    assertEquals("TIMER", result.line("engine"), result.output());
    assertEquals(
        "NOT_PERMITTED perf: this user may not sample kernel mode (kernel.perf_event_paranoid is"
            + " 2); `sysctl kernel.perf_event_paranoid=1` or CAP_PERFMON lifts it [EACCES]",
        result.line("refusal"));
    assertCovered(result);
    assertEquals("0", result.line("withKernel"));
    assertRanOn(result);
  }

  @Test
  void anOrdinaryUserMaySampleUserModeByPerf() throws Exception {
    EngineJvm.Result result =
        jvm.run(jdks().get(0), ordinaryUser(), "1000", "400", "0", "PERF_USER");

    assertEquals("PERF_USER", result.line("engine"), result.output());
    assertEquals("", result.line("refusal"));
    assertCovered(result);
    assertRanOn(result);
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void underASeccompFilterTimersSample(Jdk jdk) throws Exception {
    EngineJvm.Result result = jvm.run(jdk, denying(EPERM, perfEventOpen()), "1000", "400", "0");

    assertEquals("TIMER", result.line("engine"), result.output());
    assertEquals(
        "NOT_TRIED perf not tried: a seccomp filter may kill; engine=perf tries it",
        result.line("refusal"));
    assertCovered(result);
    assertRanOn(result);
  }

  /** The user's word that the filter kills nobody. */
  @Test
  void whoNamesPerfHasItTried() throws Exception {
    EngineJvm.Result result =
        jvm.run(jdks().get(0), denying(EPERM, perfEventOpen()), "1000", "400", "0", "PERF");

    assertEquals("TIMER", result.line("engine"), result.output());
    String refusal = result.line("refusal");
    assertTrue(
        refusal.startsWith("BLOCKED perf: a filter") && refusal.endsWith("[EPERM]"), refusal);
    assertCovered(result);
    assertRanOn(result);
  }

  /** What an unprivileged user under a filter has left, with even process_vm_readv denied. */
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

  /** A filter as strict as that: neither perf events nor timers. */
  @Test
  void whereNothingIsAllowedOneLineEachSaysWhy() throws Exception {
    assumeTrue(SystemCalls.current().orElseThrow() == SystemCalls.X86_64, "numbers of x86-64");
    EngineJvm.Result result =
        jvm.run(jdks().get(0), denying(EPERM, perfEventOpen(), 222), "1000", "100", "0", "PERF");

    assertEquals("null", result.line("engine"), result.output());
    String[] refusals = result.line("refusal").split("\n");
    assertEquals(EngineKind.values().length, refusals.length, result.output());
    for (String refusal : refusals) {
      assertTrue(refusal.startsWith("BLOCKED "), refusal);
      assertTrue(refusal.contains("seccomp") && refusal.endsWith("[EPERM]"), refusal);
    }
    assertTrue(refusals[1].startsWith("BLOCKED timer: timer_create"), refusals[1]);
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

  /** Every answer of the kernel has its reason, and its cure where there is one. */
  @ParameterizedTest
  @CsvSource({
    "EPERM, 1, BLOCKED, seccomp",
    "ENOENT, 2, ABSENT, CONFIG_PERF_EVENTS",
    "EMFILE, 24, FILE_DESCRIPTORS, ulimit -n",
    "ENFILE, 23, FILE_DESCRIPTORS, fs.file-max",
    "ENOMEM, 12, RING_MEMORY, no memory",
    "EINVAL, 22, UNSUPPORTED_KERNEL, Linux 4.8",
    "errno 5, 5, UNSUPPORTED_KERNEL, Linux 4.8"
  })
  void everyAnswerHasItsReason(String name, int errno, EngineRefusal.Reason reason, String part) {
    EngineRefusal refusal = PerfRefusals.open(EngineKind.PERF, true, errno).refusal();

    assertEquals(reason, refusal.reason());
    assertTrue(refusal.line().contains(part), refusal.line());
    assertTrue(refusal.line().endsWith(" [" + name + "]"), refusal.line());
  }

  /** Debian's and Ubuntu's kernels know 3 and 4; what is allowed and yet refused, others refuse. */
  @ParameterizedTest
  @CsvSource({
    "true, 2, NOT_PERMITTED, perf_event_paranoid=1",
    "true, 4, NOT_PERMITTED, perf_event_paranoid=1",
    "false, 3, NOT_PERMITTED, perf_event_paranoid=2",
    "true, 1, BLOCKED, SELinux",
    "false, 2, BLOCKED, SELinux",
  })
  void whatParanoidForbidsIsToldFromAPolicy(
      boolean kernel, int paranoid, EngineRefusal.Reason reason, String part) {
    EngineRefusal refusal = PerfRefusals.notPermitted(EngineKind.PERF, kernel, paranoid).refusal();

    assertEquals(reason, refusal.reason());
    assertTrue(refusal.line().contains(part), refusal.line());
    assertTrue(refusal.line().contains("kernel.perf_event_paranoid is " + paranoid));
    assertTrue(refusal.line().endsWith(" [EACCES]"), refusal.line());
  }

  @Test
  void theCapabilityIsThatOfTheKernel() {
    assertEquals("CAP_SYS_ADMIN", PerfRefusals.capability("4.19.0-26-amd64"));
    assertEquals("CAP_SYS_ADMIN", PerfRefusals.capability("5.4.0"));
    assertEquals("CAP_PERFMON", PerfRefusals.capability("5.10.0"));
    assertEquals("CAP_PERFMON", PerfRefusals.capability("6.1.0"));
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
   * Half of the descriptors that are free are the application's, whether perf runs or gives way.
   */
  @ParameterizedTest
  @CsvSource({"2000, TIMER, FILE_DESCRIPTORS=2", "100, PERF, FILE_DESCRIPTORS=[0-9]{3}"})
  void theApplicationKeepsItsFileDescriptors(int threads, String engine, String descriptors)
      throws Exception {
    List<String> wrapper = new ArrayList<>(List.of("prlimit", "--nofile=4096:4096"));
    if (isRoot()) {
      wrapper.add("--sigpending=20000:20000"); // for the timers of 2,000 threads
    }
    EngineJvm.Result result =
        jvm.run(jdks().get(0), wrapper, "1000", "50", Integer.toString(threads));

    assertEquals(engine, result.line("engine"), result.output());
    String refusal = result.line("refusal");
    assertTrue(
        engine.equals("PERF")
            ? refusal.isEmpty()
            : refusal.matches(
                "FILE_DESCRIPTORS perf: 20[0-9]+ threads on [0-9]+ CPUs need .*more than"
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

  private static List<String> ordinaryUser() throws Exception {
    return isRoot() ? user(65_534) : List.of();
  }

  private static List<String> user(int uid) {
    return List.of(
        "setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups", "--bounding-set=-all");
  }

  private static List<String> denying(int errno, int... calls) {
    String list = Arrays.stream(calls).mapToObj(Integer::toString).collect(Collectors.joining(","));
    return List.of(deny, Integer.toString(errno), list);
  }

  private static int perfEventOpen() {
    return SystemCalls.current().orElseThrow() == SystemCalls.X86_64 ? 298 : 241;
  }

  private static boolean isRoot() throws Exception {
    return Commands.output(List.of("id", "-u")).strip().equals("0");
  }

  private static void assertCovered(EngineJvm.Result result) {
    double share = Double.parseDouble(result.line("covered"));
    assertTrue(share > 0.1 && share < 1.1, result.output());
    double explained = Double.parseDouble(result.line("explained"));
    assertTrue(explained > 0.6, result.output());
  }

  private static void assertRanOn(EngineJvm.Result result) {
    assertEquals("12345678", result.line("memory"), result.output());
    assertEquals("done", result.line("application"), result.output());
    assertEquals(0, result.exit(), result.output());
    assertFalse(result.output().contains("SIGSEGV"));
  }
}
