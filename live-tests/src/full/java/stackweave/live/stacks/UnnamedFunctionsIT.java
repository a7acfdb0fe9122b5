package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.live.support.Stacks.Frame;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Enough;
import stackweave.testing.Exact;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/**
 * Functions of a stripped library: each is one frame, named by where {@code readelf} has it begin;
 * and so is assembly that nothing describes, and code in no library. The library is another
 * temporary file in each run, and is called the same.
 */
@Order(5)
@Exact
class UnnamedFunctionsIT {
  private static final String APP = "stackweave.live.stacks.StrippedApp";
  private static final String ENTRY = "Java_stackweave_live_stacks_StrippedApp_run";
  private static final Pattern FDE =
      Pattern.compile(".* FDE .*pc=(\\p{XDigit}+)\\.\\.(\\p{XDigit}+)");

  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void oneFrameForEachFunction(Jdk jdk) throws Exception {
    Path library = Native.library("stripped");
    Map<String, Long> symbols = symbols(library);
    TreeMap<Long, Long> functions = functions(library);
    Path stripped = directory.resolve("stripped.so");
    Commands.output("strip", "-s", "-o", stripped.toString(), library.toString());
    assertEquals(Set.of(ENTRY), symbols(stripped, "-D").keySet());

    Set<String> expected = new TreeSet<>();
    expected.add(ENTRY + " [libstripped.so]");
    for (String name : List.of("stripped_outer", "stripped_middle", "stripped_leaf")) {
      long start = symbols.get(name);
      assertTrue(functions.containsKey(start), name + " has no FDE");
      expected.add("libstripped.so+0x" + Long.toHexString(start));
    }
    long assembly = symbols.get("stripped_assembly");
    long before = functions.floorEntry(assembly).getValue();
    if (before <= assembly) {
      long start = Math.max(before, textSection(library));
      long end = functions.higherKey(assembly);
      expected.add("libstripped.so+0x" + Long.toHexString(start) + "..0x" + Long.toHexString(end));
    }
    if (System.getProperty("os.arch").equals("amd64")) {
      expected.add("[JIT code of libstripped.so]");
    }
    Seen seen = new Seen();
    Set<Long> instructions = instructions(library, "stripped_leaf");
    Enough.until(
        () -> seen.isEnough(expected),
        () -> {
          ForkedJvm first = jvm(jdk);
          ForkedJvm second = jvm(jdk);
          RunningCommand started = first.start(APP, stripped.toString(), "1");
          Ended other = second.run(APP, stripped.toString(), "1").successfully();
          Ended one = first.end(started).successfully();
          assertNotEquals(one.outLines(), other.outLines(), "both were extracted to one file");
          for (Ended ended : List.of(one, other)) {
            Set<String> frames = new TreeSet<>(frames(jdk, ended).keySet());
            frames.removeIf(frame -> !frame.contains("libstripped.so")); // what it calls
            assertTrue(
                expected.containsAll(frames), () -> frames + " extracted to " + ended.outLines());
            seen.frames.addAll(frames);
            checkEvents(ended, symbols.get("stripped_leaf"), instructions, seen);
          }
          seen.last = one;
        });
    assertTrue(seen.isEnough(expected), seen::toString);
    checkNamesOfFiles(jdk, seen.last.recording(), library);
  }

  /** What was met in all runs. */
  private static final class Seen {
    private final Set<String> frames = new TreeSet<>();
    private final Set<Long> offsetsOfLeaf = new TreeSet<>();
    private int leaves;
    private Ended last;

    private boolean isEnough(Set<String> expected) {
      return frames.containsAll(expected) && leaves > 10 && offsetsOfLeaf.size() > 3;
    }

    @Override
    public String toString() {
      return frames + ", " + leaves + " samples in stripped_leaf, at " + offsetsOfLeaf;
    }
  }

  /** Names, inlined functions and lines that the recording lacks, from a file of the same build. */
  private void checkNamesOfFiles(Jdk jdk, Path recording, Path library) throws Exception {
    String id = buildId(library);
    for (String name :
        List.of(
            "gdb/.build-id/" + id.substring(0, 2) + "/" + id.substring(2) + ".debug",
            "debuginfod/" + id + "/debuginfo",
            "any/where/it.is")) {
      Path file = directory.resolve(name);
      Files.createDirectories(file.getParent());
      Files.copy(library, file);
      Path root = directory.resolve(name.substring(0, name.indexOf('/')));
      Ended named =
          Jvms.commandLine(
                  jdk, "collapsed", "--lines", "--symbols", root.toString(), recording.toString())
              .successfully();
      String calls =
          ";stripped_outer:N [libstripped.so];stripped_middle:N [libstripped.so]"
              + ";stripped_leaf:N [libstripped.so]";
      Matcher leaf =
          Pattern.compile(
                  calls.replaceAll("([\\[\\].])", "\\\\$1").replace("N", "\\d+")
                      + "(?:;stripped_mix:(\\d+) \\[libstripped\\.so\\])? ")
              .matcher(named.out());
      Set<Integer> lines = new TreeSet<>();
      int all = 0;
      while (leaf.find()) {
        all++;
        if (leaf.group(1) != null) {
          lines.add(Integer.valueOf(leaf.group(1)));
        }
      }
      assertTrue(all > lines.size() && !lines.isEmpty(), named::out);
      assertTrue(linesOfMix().containsAll(lines), lines + " are not of " + linesOfMix());
    }
    Ended unnamed =
        Jvms.commandLine(
                jdk,
                "collapsed",
                "--symbols",
                Files.createDirectory(directory.resolve("empty")).toString(),
                recording.toString())
            .successfully();
    assertTrue(
        unnamed.errLines().stream()
            .anyMatch(
                line ->
                    line.contains("libstripped.so has functions without names")
                        && line.contains(id)),
        unnamed::err);
  }

  private static String buildId(Path library) throws IOException, InterruptedException {
    Matcher id =
        Pattern.compile("Build ID: (\\p{XDigit}+)")
            .matcher(Commands.output("readelf", "-n", library.toString()));
    assertTrue(id.find());
    return id.group(1);
  }

  /** Where the source has the function that is inlined. */
  private static Set<Integer> linesOfMix() throws IOException {
    List<String> source = Files.readAllLines(Path.of("src/test/c/stripped.c"));
    Set<Integer> lines = new TreeSet<>();
    int line = 0;
    while (!source.get(line).contains(" stripped_mix(")) {
      line++;
    }
    while (!source.get(line).equals("}")) {
      lines.add(++line);
    }
    return lines;
  }

  private static ForkedJvm jvm(Jdk jdk) {
    return Jvms.withoutLibraries(jdk).agent("interval=2ms", "drain=100").recording();
  }

  /** The library's frames as {@code collapsed} has them, with the samples that they are in. */
  private static Map<String, Long> frames(Jdk jdk, Ended ended) {
    Map<String, Long> frames = new TreeMap<>();
    List<String> lines =
        Jvms.commandLine(jdk, "collapsed", ended.recording().toString()).successfully().outLines();
    for (String line : lines) {
      int space = line.lastIndexOf(' ');
      String stack = line.substring(0, space);
      if (stack.contains(ENTRY)) {
        for (String frame : stack.substring(stack.indexOf(ENTRY)).split(";")) {
          if (!frame.endsWith(" [kernel]") && !frame.equals("[kernel]")) {
            frames.merge(frame, Long.valueOf(line.substring(space + 1)), Long::sum);
          }
        }
      }
    }
    return frames;
  }

  /** The events have the true path, and the exact place of each pc in its function. */
  private static void checkEvents(Ended ended, long leaf, Set<Long> instructions, Seen seen) {
    Stacks stacks = Stacks.of(ended.recording());
    Set<Long> generated =
        stacks
            // Other threads may run code of no library that is not the application's.
            .of(sample -> sample.frames().stream().anyMatch(f -> f.name().equals(ENTRY)))
            .map(Stacks.Sample::innermost)
            .filter(frame -> frame.name().equals("[JIT code of libstripped.so]"))
            .map(frame -> frame.symbolStart() + frame.offset())
            .collect(Collectors.toSet());
    for (long pc : generated) { // one of the four instructions of stripped.c's page
      assertTrue(Set.of(0L, 3L, 5L, 7L).contains(pc & 4095), () -> Long.toHexString(pc));
    }
    String path = ended.outLines().get(0);
    assertTrue(
        stacks.libraries().stream().anyMatch(l -> l.path().equals(path)), () -> "no " + path);
    String file = Path.of(path).getFileName().toString();
    List<Frame> leaves =
        stacks
            .of(sample -> !sample.frames().isEmpty())
            .map(Stacks.Sample::innermost)
            .filter(frame -> frame.module().equals(file) && frame.symbolStart() == leaf)
            .toList();
    Set<Long> offsets = leaves.stream().map(Frame::offset).collect(Collectors.toSet());
    offsets.forEach(at -> assertTrue(instructions.contains(leaf + at), () -> "+" + at));
    seen.leaves += leaves.size();
    seen.offsetsOfLeaf.addAll(offsets);
  }

  private static long textSection(Path library) throws IOException, InterruptedException {
    Matcher section =
        Pattern.compile("\\.text +PROGBITS +(\\p{XDigit}+)")
            .matcher(Commands.output("readelf", "-SW", library.toString()));
    assertTrue(section.find());
    return Long.parseLong(section.group(1), 16);
  }

  private static Set<Long> instructions(Path library, String function)
      throws IOException, InterruptedException {
    Matcher lines =
        Pattern.compile("(?m)^ *(\\p{XDigit}+):\t")
            .matcher(Commands.output("objdump", "--disassemble=" + function, library.toString()));
    Set<Long> found = new TreeSet<>();
    while (lines.find()) {
      found.add(Long.parseLong(lines.group(1), 16));
    }
    return found;
  }

  private static Map<String, Long> symbols(Path library, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("nm", "--defined-only"));
    command.addAll(List.of(options));
    command.add(library.toString());
    Map<String, Long> symbols = new HashMap<>();
    for (String line : Commands.output(command).split("\n")) {
      String[] fields = line.split(" ");
      if (fields.length == 3 && "tT".contains(fields[1])) {
        symbols.put(fields[2], Long.parseLong(fields[0], 16));
      }
    }
    return symbols;
  }

  /** First addresses and those behind the last, of all FDEs. */
  private static TreeMap<Long, Long> functions(Path library)
      throws IOException, InterruptedException {
    TreeMap<Long, Long> functions = new TreeMap<>();
    Matcher fdes =
        FDE.matcher(Commands.output("readelf", "--debug-dump=frames", library.toString()));
    while (fdes.find()) {
      functions.put(Long.parseLong(fdes.group(1), 16), Long.parseLong(fdes.group(2), 16));
    }
    return functions;
  }
}
