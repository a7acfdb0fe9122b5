package stackweave.benchmarks.cases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.replay.ModuleDescriptions.ModuleDescription;
import stackweave.hotspot.replay.RecordedLines;
import stackweave.hotspot.replay.Replay;
import stackweave.hotspot.replay.ReplayFile;
import stackweave.hotspot.replay.ReplayReader;
import stackweave.hotspot.replay.ReplayWriter;
import stackweave.hotspot.replay.SampleRecorder;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.lab.matrix.LinkCheck;
import stackweave.lab.matrix.LinkCheck.JavaMethod;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleMap;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * {@code RecordCases DIRECTORY PREFIX SECONDS CLASS [ARGUMENT…]}: runs a program in this JVM,
 * samples it as fast as it can, and keeps the smallest sample of each situation that it meets, as
 * {@code PREFIX-SITUATION.replay} with its frames in {@code PREFIX-SITUATION.txt} and what all have
 * in common in {@code PREFIX.replay}.
 *
 * <p>Only stacks that are proven are kept: they reach the thread's first frame, the sample as it
 * was met and as it was recorded have the same frames, and each Java frame's bytecode calls the
 * next one.
 */
public final class RecordCases {
  private static final long INTERVAL_NANOS = 150_000;

  /** How many samples of a situation are recorded at most: meanwhile further samples get old. */
  private static final int MAX_RECORDINGS = 3;

  private static final int DEPTH = 256;

  private final LiveVm vm = new LiveVm();
  private final MixedUnwinder unwinder = vm.unwinder();
  private final FrameBuffer frames = new FrameBuffer(DEPTH);
  private final SampleRecorder recorder;
  private final Situations situations = new Situations(vm.hotspot, vm.methods, vm.memory);
  private final LinkCheck links = new LinkCheck();
  private final Map<String, Case> cases = new TreeMap<>();
  private final int ownTid = ownTid();
  private long samples;
  private long incomplete;
  private long unlike;
  private long broken;

  private record Case(ReplayFile file, String text, int recordings) {}

  private RecordCases() throws IOException, UnsupportedVmException {
    String jvm = System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");
    recorder =
        new SampleRecorder(vm.libjvm, vm.memory, vm.rules, Map.of(ReplayFile.JVM, jvm), DEPTH);
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    String prefix = arguments[1];
    long nanos = (long) (Double.parseDouble(arguments[2]) * 1e9);
    // Programs that wait until they are sampled look for this name.
    Thread.currentThread().setName("stackweave-drain");
    Thread program = program(arguments[3], Arrays.copyOfRange(arguments, 4, arguments.length));
    program.setDaemon(true);
    program.start();
    RecordCases recording = new RecordCases();
    long end = System.nanoTime() + nanos;
    recording.vm.sample(
        INTERVAL_NANOS,
        sample -> {
          recording.sample(sample);
          return System.nanoTime() < end && program.isAlive();
        });
    recording.write(directory, prefix);
    System.exit(0);
  }

  private static Thread program(String className, String[] arguments)
      throws ReflectiveOperationException {
    var main = Class.forName(className).getMethod("main", String[].class);
    return new Thread(
        () -> {
          try {
            main.invoke(null, (Object) arguments);
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
          }
        },
        "program");
  }

  private void sample(StackSnapshot sample) {
    ModuleMap modules = vm.modules.at(sample.timeNanos());
    if (!sample.hasRegisters() || sample.tid() == ownTid) {
      return;
    }
    samples++;
    unwinder.unwind(sample, modules, frames);
    if (!frames.end().isComplete()) {
      incomplete++;
      return;
    }
    String text = SampleRecorder.text(frames, vm.methods, pc -> describe(modules, pc), modules);
    for (String situation : situations.of(sample, frames, text)) {
      Case known = cases.get(situation);
      int recordings = known == null ? 0 : known.recordings;
      int lines = text.split("\n").length;
      if (known == null
          || recordings < MAX_RECORDINGS && lines < known.text.split("\n").length * 2 / 3) {
        keep(situation, sample, modules, text, recordings);
      }
    }
  }

  private static int ownTid() {
    try {
      return Integer.parseInt(Path.of("/proc/thread-self").toRealPath().getFileName().toString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void keep(
      String situation, StackSnapshot sample, ModuleMap modules, String text, int recordings) {
    if (!linksHold()) {
      broken++;
      return;
    }
    ReplayFile file = recorder.record(sample, modules, pc -> describe(modules, pc));
    if (!text.equals(file.facts().get(ReplayFile.RECORDED))) {
      unlike++;
      return;
    }
    cases.put(situation, new Case(file, text, recordings + 1));
  }

  /** Whether the bytecode of each Java frame calls the frame before it, as far as that is known. */
  private boolean linksHold() {
    for (int i = 0; i + 1 < frames.count(); i++) {
      JavaMethod callee = javaMethod(i);
      JavaMethod caller = javaMethod(i + 1);
      if (callee != null
          && caller != null
          && links.check(caller, frames.bci(i + 1), callee) == LinkCheck.Verdict.BAD) {
        return false;
      }
    }
    return true;
  }

  private JavaMethod javaMethod(int frame) {
    if (frames.method(frame) == FrameBuffer.NO_METHOD) {
      return null;
    }
    HotSpotMethod method = vm.methods.get(frames.method(frame));
    boolean isNative = frames.kind(frame) == FrameKind.NATIVE_METHOD;
    return method.isStub()
        ? null
        : new JavaMethod(method.className(), method.name(), method.descriptor(), isNative);
  }

  private ModuleDescription describe(ModuleMap modules, long pc) {
    MappedModule module = modules.find(pc);
    return new ModuleDescription(
        module.name(),
        module.buildId() == null ? "" : module.buildId(),
        modules.rangeStart(pc),
        modules.rangeEnd(pc),
        vm.symbolAt(module, pc));
  }

  private void write(Path directory, String prefix) throws IOException, UnsupportedVmException {
    Files.createDirectories(directory);
    Map<String, ReplayFile> trimmed = new TreeMap<>();
    for (Map.Entry<String, Case> entry : cases.entrySet()) {
      trimmed.put(entry.getKey(), trim(entry.getValue()));
    }
    ReplayFile base = base(List.copyOf(trimmed.values()));
    byte[] baseBytes = ReplayWriter.toBytes(base);
    Files.write(directory.resolve(prefix + ".replay"), baseBytes);
    long bytes = baseBytes.length;
    List<String> dropped = new ArrayList<>();
    for (Map.Entry<String, ReplayFile> entry : trimmed.entrySet()) {
      String text = cases.get(entry.getKey()).text;
      byte[] content = ReplayWriter.toBytes(without(entry.getValue(), base, prefix));
      if (!text.equals(new Replay(ReplayReader.read(content).on(base)).text())) {
        dropped.add(entry.getKey());
        continue;
      }
      bytes += content.length;
      String name = prefix + "-" + entry.getKey();
      Files.write(directory.resolve(name + ".replay"), content);
      Files.writeString(directory.resolve(name + ".txt"), text);
    }
    System.err.printf(
        "%d samples: %d incomplete, %d with a broken link, %d unlike when recorded;"
            + " %d cases, %d bytes (base %d), dropped %s%n",
        samples, incomplete, broken, unlike, trimmed.size(), bytes, baseBytes.length, dropped);
  }

  /** Without the part of the stack that nothing reads, nor what only the recorder has to say. */
  private static ReplayFile trim(Case known) throws UnsupportedVmException {
    int low = 0;
    int high = known.file.stackBytes() / Long.BYTES;
    while (low < high) {
      int middle = (low + high) >>> 1;
      ReplayFile shorter = withStack(known.file, middle * Long.BYTES);
      if (known.text.equals(new Replay(shorter).text())) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return withStack(known.file, high * Long.BYTES);
  }

  /** With no more than the first bytes of the stack, and nothing said but what JVM it is of. */
  private static ReplayFile withStack(ReplayFile file, int length) {
    ReplayFile.Sample sample = file.sample();
    byte[] stack = Arrays.copyOf(sample.stack(), Math.min(length, sample.stack().length));
    return new ReplayFile(
        file.base(),
        Map.of(ReplayFile.JVM, file.facts().getOrDefault(ReplayFile.JVM, "")),
        file.architecture(),
        file.symbols(),
        file.modules(),
        file.memory(),
        new ReplayFile.Sample(sample.tid(), sample.registers(), sample.stackAddress(), stack));
  }

  /** What the recorder has in common, with what at least two files have. */
  private ReplayFile base(List<ReplayFile> files) {
    ReplayFile base = recorder.base();
    Map<Long, byte[]> lines = common(files);
    lines.putAll(lines(base.memory()));
    return new ReplayFile(
        "",
        base.facts(),
        base.architecture(),
        base.symbols(),
        base.modules(),
        RecordedLines.of(lines),
        null);
  }

  /** A file without what the base has, and in need of it under that name. */
  private static ReplayFile without(ReplayFile file, ReplayFile base, String name) {
    Map<Long, byte[]> own = lines(file.memory());
    Map<Long, byte[]> there = lines(base.memory());
    own.entrySet().removeIf(line -> Arrays.equals(line.getValue(), there.get(line.getKey())));
    return new ReplayFile(
        name,
        file.facts(),
        file.architecture(),
        Map.of(),
        file.modules(),
        RecordedLines.of(own),
        file.sample());
  }

  private static Map<Long, byte[]> lines(RecordedLines memory) {
    Map<Long, byte[]> lines = new TreeMap<>();
    for (int line = 0; line < memory.lineCount(); line++) {
      lines.put(memory.lineAddress(line), memory.lineBytes(line));
    }
    return lines;
  }

  /** The lines of memory that at least two have with the same bytes; of several such, the first. */
  private static Map<Long, byte[]> common(List<ReplayFile> files) {
    Map<Long, byte[]> common = new TreeMap<>();
    List<Map<Long, byte[]>> before = new ArrayList<>();
    for (ReplayFile file : files) {
      Map<Long, byte[]> lines = lines(file.memory());
      lines.forEach(
          (address, bytes) -> {
            if (before.stream().anyMatch(other -> Arrays.equals(bytes, other.get(address)))) {
              common.putIfAbsent(address, bytes);
            }
          });
      before.add(lines);
    }
    return common;
  }
}
