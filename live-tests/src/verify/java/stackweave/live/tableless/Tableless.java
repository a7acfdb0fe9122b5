package stackweave.live.tableless;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.testing.Commands;

/**
 * A stripped library of assembly without unwind tables, and one whose tables are right at calls
 * only, with the chains that their sources have.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Tableless {
  private static final String ENTRY = "Java_stackweave_live_tableless_TablelessApp_run";
  private static final String SYNCHRONOUS = ENTRY + "Synchronous";

  /** The chains behind the entries, as the sources have them. */
  static final Set<List<String>> CHAINS =
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
          List.of(ENTRY, "generated", "framed_leaf"),
          List.of(ENTRY, "large_outer"),
          List.of(ENTRY, "large_outer", "large_leaf"),
          List.of(ENTRY, "lying_outer"),
          List.of(ENTRY, "lying_outer", "lying_leaf"),
          List.of(ENTRY, "two_ways_outer"),
          List.of(ENTRY, "two_ways_outer", "two_ways_leaf"),
          List.of(ENTRY, "two_ways_outer", "two_ways_leaf", "bare_leaf"),
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
  Path library;
  Path synchronous;

  @BeforeAll
  void strip(@TempDir Path directory) throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "the assembly is for x86-64");
    library = stripped(directory, "tableless", functions);
    synchronous = stripped(directory, "synchronous", synchronousFunctions);
  }

  private static Path stripped(Path directory, String name, TreeMap<Long, String> symbols)
      throws Exception {
    Path built = Native.library(name);
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

  static boolean isComplete(Stacks.Sample sample) {
    return sample.end().equals("complete") || sample.end().equals("thread entry");
  }

  /**
   * The functions from the entry inwards, without the kernel's and those of the dynamic linker,
   * which binds a function at its first call; empty in other stacks.
   */
  List<String> chain(List<Frame> frames) {
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
