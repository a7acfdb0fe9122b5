package stackweave.jfr.weave;

import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;

/**
 * A process that weaves its samples as they come, and plays the hook in JFR itself: it puts them
 * behind each chunk of the repository once JFR has finished it. Needs jdk.jfr.internal open.
 */
public final class LiveProgram {
  static final String OPEN = "--add-opens=jdk.jfr/jdk.jfr.internal=ALL-UNNAMED";
  static final int CHUNKS = 4;

  /** Frames of a stack of many bytes. */
  private static final int DEEP = 2_000;

  private LiveProgram() {}

  /**
   * Arguments: file for all chunks, samples of each chunk, and {@code full} for a disk that takes
   * no more behind the second chunk, {@code many} for more in the second than is put behind a
   * chunk, {@code unknown} for a second chunk that is none.
   */
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    int samples = Integer.parseInt(arguments[1]);
    String flags = arguments.length > 2 ? arguments[2] : "";
    Recording recording = new Recording();
    recording.enable("jdk.JVMInformation");
    recording.enable(WallSample.NAME);
    recording.start();
    MixedProgram program = new MixedProgram(7);
    program.store.weave(metadata(), List.of(Path.of("/nonexistent"), file.getParent()));
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        program.write(samples, "");
        if (chunk == 1 && flags.equals("many")) {
          writeDeep(program.store);
        }
        program.mark(chunk * 100, chunk % 2 == 1);
        program.status();
        Path open = chunks().get(chunks().size() - 1);
        Recording other = new Recording();
        other.setToDisk(true);
        other.start(); // JFR begins another chunk
        finish(program.store, open, chunk == 1 ? flags : "");
        Files.copy(open, out);
        if (chunk == 1 && flags.isEmpty()) {
          // As after a detach and an attach of the agent: constants must have other keys.
          program.store.weave(metadata(), List.of(file.getParent()));
        }
      }
    }
    System.out.println("unwoven=" + program.store.unwoven());
    System.out.println("note=" + program.store.weaveNote());
    System.out.println("named=" + named(file.getParent()));
    Runtime.getRuntime().halt(0);
  }

  private static void finish(EventStore store, Path chunk, String flags) throws Exception {
    byte[] before = Files.readAllBytes(chunk);
    if (flags.equals("full")) {
      limitFiles(before.length + 4_096 + ":");
    }
    if (flags.equals("unknown")) {
      before = Arrays.copyOf(before, before.length + 7); // what JFR does not do
      Files.write(chunk, before);
    }
    long begin = System.nanoTime();
    store.chunkFinished(chunk.toString());
    System.out.println("nanos=" + (System.nanoTime() - begin));
    byte[] after = Files.readAllBytes(chunk);
    int end = Math.min(before.length, after.length);
    System.out.println("changed=" + (Arrays.equals(before, Arrays.copyOf(after, end)) ? 0 : 1));
    System.out.println("grown=" + (after.length - before.length));
    if (!flags.isEmpty()) {
      System.out.println("note in between=" + store.weaveNote());
      System.out.println("grown then=" + (after.length - before.length));
    }
    if (flags.equals("full")) {
      limitFiles("unlimited:");
    }
    if (flags.equals("unknown")) {
      Files.write(chunk, Arrays.copyOf(before, before.length - 7));
    }
  }

  /** Of this process: writes fail from there on, as on a full disk. */
  private static void limitFiles(String size) throws Exception {
    String pid = Long.toString(ProcessHandle.current().pid());
    Process process =
        new ProcessBuilder("prlimit", "--pid", pid, "--fsize=" + size).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IOException("prlimit failed");
    }
  }

  private static void writeDeep(EventStore store) {
    for (int stack = 0; stack < 2_000; stack++) {
      store.beginStack();
      long node = EventStore.ROOT;
      for (int i = 0; i < DEEP; i++) {
        MethodDefinition method =
            MethodDefinition.java("com.example.Deep", "m" + i % 50, "()V", 9, "");
        // All stacks share all frames but the innermost: the tree stays small.
        node = store.node(node, store.method(method), 2, i < DEEP - 1 ? i : stack + 1, 7);
      }
      long thread = store.thread(1, "deep", 0, false, 0, null);
      if (!store.write(
          new SampleRecord().begin(CPU, System.nanoTime(), 1_000_000).stack(thread, node, 0, 0))) {
        throw new IllegalStateException("refused");
      }
    }
  }

  /** Files of the process that still have a name where what is encoded waits. */
  private static long named(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(each -> each.getFileName().toString().startsWith(".stackweave")).count();
    }
  }

  private static List<Path> chunks() throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("jdk.jfr.repository")))) {
      // JFR numbers those of one second: "…_24.jfr", "…_24_01.jfr".
      return files
          .filter(each -> each.toString().endsWith(".jfr"))
          .sorted(Comparator.comparing(each -> each.toString().replace(".jfr", "")))
          .toList();
    }
  }

  private static byte[] metadata() throws ReflectiveOperationException {
    Class<?> type = Class.forName("jdk.jfr.internal.MetadataRepository");
    Method write = type.getDeclaredMethod("getBinaryRepresentation");
    write.setAccessible(true);
    return (byte[]) write.invoke(type.getMethod("getInstance").invoke(null));
  }
}
