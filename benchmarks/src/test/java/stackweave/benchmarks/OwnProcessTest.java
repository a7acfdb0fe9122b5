package stackweave.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The process that is sampled may be another one than this: what reads a process is told which by
 * {@code SampledProcess}, and names this one only where this one is meant.
 */
class OwnProcessTest {
  private static final List<String> MODULES =
      List.of("jfr-events", "native-maps", "hotspot", "engine", "sampler", "features");

  /** In a string, or as a call. Comments may say what they like. */
  private static final Pattern OWN =
      Pattern.compile("\"[^\"\\n]*/proc/(thread-)?self[^\"\\n]*\"|ProcessHandle\\.current\\(\\)");

  /** Sentences for users have more words than a path. */
  private static final Pattern SENTENCE = Pattern.compile("\"[^\"]* [^\"]* [^\"]*\"");

  private static final Pattern COMMENT =
      Pattern.compile("/\\*.*?\\*/|^\\s*//.*?$", Pattern.DOTALL | Pattern.MULTILINE);

  /** The classes that mean this process, and why. */
  private static final Map<String, Set<String>> MEANT = new TreeMap<>();

  static {
    mean("is what tells the processes apart", "SampledProcess", "ModuleIndex");
    mean("the descriptors of this process, whatever they lead to", "Descriptor", "HeldFiles");
    mean(
        "what this process, which samples, may do and has left",
        "Capabilities",
        "CallPolicy",
        "OwnDirectory",
        "Tasks",
        "PerfBudget");
    mean("the clock of this process, by which all times are", "KernelClock");
    mean("JNA's library and the compilers of this JVM", "DispatchLibrary", "CompilerDirective");
    mean(
        "engine of timers and its handler, which are in the process that they sample",
        "HandlerMemory",
        "NativeStacks");
    mean(
        "events of threads, which only their own process samples",
        "AllocationProbes",
        "AllocatorFunctions",
        "LibcFunctions",
        "UprobeCost",
        "UprobePlace");
    mean(
        "features that are recorded in their own process alone",
        "TaskFiles",
        "LoadsFeature",
        "MemoryRegions",
        "PageScan");
  }

  private static void mean(String why, String... classes) {
    MEANT.computeIfAbsent(why, key -> new TreeSet<>()).addAll(Arrays.asList(classes));
  }

  @Test
  void whoReadsAProcessIsToldWhich() throws IOException {
    Set<String> known =
        MEANT.values().stream().flatMap(Set::stream).collect(Collectors.toCollection(TreeSet::new));
    Map<String, List<String>> found = new TreeMap<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src/main/java"))) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          List<String> own = own(Files.readString(file));
          if (!own.isEmpty()) {
            found.put(file.getFileName().toString().replace(".java", ""), own);
          }
        }
      }
    }
    assertTrue(found.containsKey("SampledProcess"), () -> "found: " + found);
    found.keySet().removeAll(known);
    assertEquals(Map.of(), found, "take a SampledProcess, or name the class here with the reason");
  }

  @Test
  void pathsAndCallsAreFoundAndSentencesAreNot() {
    String source =
        """
        /** Reads "/proc/self/maps". */
        class A {
          // "/proc/self/comm"
          String a = "/proc/self/maps"; // of this process
          String b = "can't read /proc/self/maps at all";
          long c = ProcessHandle.current().pid();
          String d = "/proc/thread-self/status";
        }
        """;
    assertEquals(
        List.of("\"/proc/self/maps\"", "ProcessHandle.current()", "\"/proc/thread-self/status\""),
        own(source));
  }

  private static List<String> own(String source) {
    Matcher matcher = OWN.matcher(COMMENT.matcher(source).replaceAll(""));
    return matcher
        .results()
        .map(result -> result.group())
        .filter(text -> !SENTENCE.matcher(text).matches())
        .toList();
  }
}
