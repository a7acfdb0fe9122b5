package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Works;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.drain.OutsideSampler;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledRecording;
import stackweave.linux.Descriptor;
import stackweave.linux.Tasks;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** A process that is sampled from this one: where it lives, and how it ends. */
class OutsideIT {
  private static final String CHROOT =
      "for each in $(ls \"$1\"); do [ $each = tmp ] || mount --rbind /$each \"$1/$each\"; done;"
          + " mount -t proc proc \"$1/proc\"; root=$1; shift;"
          + " exec chroot --userspec=65534:65534 --groups= \"$root\" \"$@\"";

  private static final String LOOP = "while :; do :; done";

  private static final SamplingRequest REQUEST =
      new SamplingRequest(1_000_000, "auto", 64, false, List.of("test"), List.of());

  private static final long CPU_NANOS = 1_500_000_000L;
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  @TempDir Path directory;
  private Process started;
  private final List<String> said = new ArrayList<>();

  static Stream<Jvm> jvms() {
    return Container.publicJvms();
  }

  @BeforeEach
  void look() throws IOException {
    assumeTrue(Files.isReadable(Path.of("/proc/1/mem")), "only root samples other users' JVMs");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @AfterEach
  void end() throws Exception {
    if (started != null) {
      started.descendants().forEach(ProcessHandle::destroyForcibly);
      started.destroyForcibly().waitFor();
    }
  }

  /** Another user's JVM with its own processes, mounts and root. */
  @ParameterizedTest
  @MethodSource("jvms")
  void aContainersStacksAndNamesAreComplete(Jvm jvm) throws Exception {
    int pid = startInContainer(jvm);
    Path file = directory.resolve("rec.jfr");
    List<Sample> samples = sample(pid, file, "");
    long complete = samples.stream().filter(sample -> sample.end().isComplete()).count();
    List<Sample> busy =
        samples.stream().filter(sample -> sample.thread().name().equals("busy")).toList();
    long named =
        busy.stream()
            .filter(sample -> texts(sample).contains("stackweave.agent.apps.Works.work"))
            .filter(sample -> texts(sample).contains("start_thread"))
            .count();
    String all = complete + " complete and " + busy.size() + " busy of " + samples.size() + said;
    assertTrue(busy.size() > 500, all);
    // The VM knows its threads by ids of its own namespace.
    long ofVm = busy.stream().filter(sample -> sample.thread().javaId() > 0).count();
    assertTrue(ofVm >= busy.size() * 0.99, () -> ofVm + " of the VM; " + all);
    assertTrue(complete >= samples.size() * 0.995, all);
    assertTrue(named >= busy.size() * 0.99, () -> named + " named; " + all + texts(busy.get(0)));
    assertEquals(0, Files.getAttribute(file, "unix:uid"));
  }

  /** It has not mapped its library yet, or not made its structures. */
  @Test
  void aJvmThatHasJustBegunToStartIsWaitedFor() throws Exception {
    Jvm jvm = jvms().findFirst().orElseThrow();
    for (int i = 0; i < 5; i++) {
      started =
          new ProcessBuilder(
                  jvm.home().resolve("bin/java").toString(),
                  "-cp",
                  Jars.apps().toString(),
                  Works.class.getName())
              .start();
      assertEquals("", OutsideSampler.whyNoJvm(SampledProcess.other((int) started.pid())));
      end();
    }
  }

  @Test
  void theRecordingOfAJvmThatIsKilledStands() throws Exception {
    int pid = startInContainer(jvms().findFirst().orElseThrow());
    Path file = directory.resolve("killed.jfr");
    try (Descriptor proc = Descriptor.directory("/proc/" + pid);
        OutsideSampler sampler = sampler(SampledProcess.other(pid, proc.path()), file)) {
      awaitCpu(sampler, SampledProcess.other(pid, proc.path()));
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      awaitEnd(sampler);
      assertEquals("process " + pid + " has ended", sampler.endReason());
      assertTrue(samples(file).size() > 500, "the file is readable before it is closed");
      assertEquals("process " + pid + " has ended", whyNot(proc, pid));
    }
    assertTrue(samples(file).size() > 500);
  }

  /** What it was before is in the recording, and nothing of what it is then. */
  @Test
  void aProcessThatRunsAnotherProgramIsNotSampledOn() throws Exception {
    isNotSampledOn(
        new ProcessBuilder("bash", "-c", "trap 'exec sh -c \"" + LOOP + "\"' USR1; " + LOOP));
  }

  @Test
  void noMoreSoIfAChildKeepsItsMemory() throws Exception {
    Path program = Gcc.compile(directory, "shares.c", "shares");
    isNotSampledOn(new ProcessBuilder(program.toString(), LOOP));
  }

  private void isNotSampledOn(ProcessBuilder program) throws Exception {
    started = program.start();
    int pid = (int) started.pid();
    Path file = directory.resolve("exec.jfr");
    try (Descriptor proc = Descriptor.directory("/proc/" + pid)) {
      SampledProcess process = SampledProcess.other(pid, proc.path());
      assertTrue(whyNot(process).contains("libjvm"), whyNot(process));
      try (OutsideSampler sampler = sampler(process, file)) {
        awaitCpu(sampler, process);
        Commands.output("kill", "-USR1", pid);
        awaitEnd(sampler);
        assertEquals("process " + pid + " runs another program now (exec)", sampler.endReason());
      }
    }
    List<Sample> samples = samples(file);
    assertTrue(samples.size() > 500);
    assertTrue(samples.stream().allMatch(sample -> !texts(sample).contains("[dash]")));
  }

  @Test
  void aStoppedProcessGoesOn() throws Exception {
    int pid = startInContainer(jvms().findFirst().orElseThrow());
    Commands.output("kill", "-STOP", pid);
    Path file = directory.resolve("stopped.jfr");
    try (Descriptor proc = Descriptor.directory("/proc/" + pid)) {
      SampledProcess process = SampledProcess.other(pid, proc.path());
      assertEquals("", whyNot(process));
      try (OutsideSampler sampler = sampler(process, file)) {
        Thread.sleep(500);
        assertEquals("", sampler.endReason());
        Commands.output("kill", "-CONT", pid);
        awaitCpu(sampler, process);
      }
    }
    assertTrue(samples(file).size() > 500);
  }

  private int startInContainer(Jvm jvm) throws Exception {
    Path root = Files.createDirectories(directory.resolve("root"));
    for (String mounted : new String[] {"usr", "lib", "lib64", "bin", "etc", "dev", "opt"}) {
      if (Files.exists(Path.of("/" + mounted))) {
        Files.createDirectories(root.resolve(mounted));
      }
    }
    Files.createDirectories(root.resolve("proc"));
    Path tmp = Files.createDirectories(root.resolve("tmp"));
    Files.setPosixFilePermissions(tmp, PosixFilePermissions.fromString("rwxrwxrwx"));
    Path apps = Files.createDirectories(tmp.resolve("stackweave/agent/apps"));
    try (Stream<Path> classes = Files.list(Jars.apps().resolve("stackweave/agent/apps"))) {
      for (Path each : classes.toList()) {
        Files.copy(each, apps.resolve(each.getFileName().toString()));
      }
    }
    started =
        new ProcessBuilder(
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "sh",
                "-c",
                CHROOT,
                "sh",
                root.toString(),
                jvm.home().resolve("bin/java").toString(),
                "-cp",
                "/tmp",
                Works.class.getName())
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    assertEquals("ready", started.inputReader().readLine(), () -> text("target.txt"));
    return (int) started.children().findFirst().orElseThrow().pid();
  }

  private String text(String file) {
    try {
      return Files.readString(directory.resolve(file));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private List<Sample> sample(int pid, Path file, String whyNot) throws Exception {
    try (Descriptor proc = Descriptor.directory("/proc/" + pid)) {
      SampledProcess process = SampledProcess.other(pid, proc.path());
      assertEquals(whyNot, whyNot(process));
      try (OutsideSampler sampler = sampler(process, file)) {
        awaitCpu(sampler, process);
      }
    }
    return samples(file);
  }

  private static String whyNot(Descriptor proc, int pid) {
    return whyNot(SampledProcess.other(pid, proc.path()));
  }

  private OutsideSampler sampler(SampledProcess process, Path file) throws Exception {
    OutsideSampler sampler =
        new OutsideSampler(
            new OutsideSampler.Source(process, "test", EngineSource.OF_MACHINE),
            file,
            Options.parse("hooks=off,jit=all,drain=100"),
            List::of,
            new Messages(said::add));
    sampler.start(REQUEST);
    return sampler;
  }

  private void awaitCpu(OutsideSampler sampler, SampledProcess process) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    Set<Long> user = Set.of(user(process));
    // It has its own rights for moments, to read files of this machine.
    while (!(sampler.hasStarted() && usersOfDrainThread().equals(user))
        && System.nanoTime() < end) {
      Thread.sleep(10);
    }
    assertEquals(user, usersOfDrainThread());
    long cpu = process.cpuNanos();
    while (process.cpuNanos() < cpu + CPU_NANOS && System.nanoTime() < end) {
      assertEquals("", sampler.endReason(), said::toString);
      Thread.sleep(10);
    }
  }

  private static long user(SampledProcess process) throws IOException {
    return process.status("Uid")[1];
  }

  /** With whose rights it opens files. */
  private static Set<Long> usersOfDrainThread() throws IOException {
    Set<Long> users = new HashSet<>();
    for (int tid : Tasks.list(SampledProcess.OWN)) {
      String comm = Tasks.comm(SampledProcess.OWN, tid);
      if (comm != null && DrainThreadName.NAME.startsWith(comm)) {
        users.add(SampledProcess.OWN.statusOfThread(tid, "Uid")[3]);
      }
    }
    return users;
  }

  private static void awaitEnd(OutsideSampler sampler) throws Exception {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (sampler.endReason().isEmpty() && System.nanoTime() < end) {
      Thread.sleep(10);
    }
  }

  private static List<Sample> samples(Path file) throws Exception {
    List<Sample> samples = new ArrayList<>();
    SampledRecording.open(file).forEachSample(samples::add);
    return samples;
  }

  private static String texts(Sample sample) {
    return sample.frames().stream().map(frame -> frame.text()).toList().toString();
  }

  private static String whyNot(SampledProcess process) {
    return OutsideSampler.whyNot(
        process,
        new SamplingRequest(10_000_000, "auto", 64, false, List.of(), List.of()),
        List.of());
  }
}
