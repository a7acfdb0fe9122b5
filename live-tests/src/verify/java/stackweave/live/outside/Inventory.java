package stackweave.live.outside;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import stackweave.testing.Commands;
import stackweave.testing.Jdk;

/**
 * What a JVM has, by the kernel and by {@code jcmd}: comparable between JVMs that did the same.
 *
 * @param classes without what differs between any two JVMs, such as numbers of generated ones
 * @param threads their names; of the VM's own those whose number does not depend on the moment
 * @param descriptors what the open files are
 * @param files those that are mapped
 * @param mappings their number
 * @param signals which are caught, ignored and blocked
 * @param metaspaceBytes in use after a full collection
 * @param heapBytes of live objects
 */
record Inventory(
    Set<String> classes,
    List<String> threads,
    List<String> descriptors,
    Set<String> files,
    int mappings,
    List<String> signals,
    long metaspaceBytes,
    long heapBytes) {

  /** How many of the JDK's own classes JFR's tasks have met depends on the moment. */
  private static final int FEW_CLASSES = 8;

  /** As many mappings come and go with arenas of malloc and with compilers and collectors. */
  private static final int FEW_MAPPINGS = 60;

  /** Less than any part of the agent takes. */
  private static final long FEW_BYTES = 64 << 10;

  /** Of metaspace: how much is in use depends on when JFR's tasks met which classes. */
  private static final long FEW_METASPACE = 192 << 10;

  private static final Pattern METASPACE = Pattern.compile("sun\\.gc\\.metaspace\\.used=(\\d+)");
  private static final Pattern LIVE = Pattern.compile("(?m)^Total +\\d+ +(\\d+)");

  /** Reflection generates them after some calls, and a collection drops them. */
  private static final Pattern GENERATED =
      Pattern.compile(
          "jdk\\.internal\\.reflect\\.(Generated|DelegatingClassLoader).*|.*LambdaForm\\$.*");

  /** The number of these threads depends on the moment. */
  private static final Pattern VARYING =
      Pattern.compile(
          "GC Thread.*|G1 .*|C[12] Comp.*|Shenandoah.*|Z[A-Z].*|Runtime.*|ParGC.*|XWorker.*"
              + "|Attach Listener|Common-Cleaner|Cleaner-.*|Sweeper.*");

  /** Looks at a JVM, with a full collection. */
  static Inventory of(Jdk jdk, long pid) throws IOException, InterruptedException {
    Path proc = Path.of("/proc/" + pid);
    // Before jcmd changes anything.
    List<String> descriptors = links(proc.resolve("fd"));
    List<String> maps = Files.readAllLines(proc.resolve("maps"));
    List<String> signals =
        Files.readAllLines(proc.resolve("status")).stream()
            .filter(line -> line.matches("Sig(Blk|Ign|Cgt):.*"))
            .toList();
    List<String> threads = threads(proc.resolve("task"));
    jcmd(jdk, pid, "GC.run");
    String histogram = jcmd(jdk, pid, "GC.class_histogram");
    Set<String> files = new TreeSet<>();
    maps.stream()
        .map(line -> line.split("\\s+", 6))
        .filter(columns -> columns.length == 6 && columns[5].startsWith("/"))
        .forEach(columns -> files.add(comparable(columns[5])));
    return new Inventory(
        classes(jcmd(jdk, pid, "VM.class_hierarchy")),
        threads,
        descriptors,
        files,
        maps.size(),
        signals,
        number(METASPACE, jcmd(jdk, pid, "PerfCounter.print")),
        number(LIVE, histogram));
  }

  static String jcmd(Jdk jdk, long pid, String... command)
      throws IOException, InterruptedException {
    List<Object> words = new ArrayList<>(List.of(jdk.home().resolve("bin/jcmd"), pid));
    Collections.addAll(words, command);
    return Commands.output(words.toArray());
  }

  private static long number(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.find()) {
      throw new AssertionError(pattern + " is not in\n" + text);
    }
    return Long.parseLong(matcher.group(1));
  }

  private static Set<String> classes(String hierarchy) {
    Set<String> classes = new TreeSet<>();
    hierarchy
        .lines()
        .map(line -> line.replaceFirst("^[|\\- ]*", "").replaceAll("/.*| .*", ""))
        .map(name -> name.replaceAll("0x[0-9a-f]+|[0-9_]+(-[0-9]+)?", ""))
        .filter(name -> !name.isEmpty() && !GENERATED.matcher(name).matches())
        .forEach(classes::add);
    return classes;
  }

  private static List<String> threads(Path tasks) throws IOException {
    List<String> names = new ArrayList<>();
    try (Stream<Path> all = Files.list(tasks)) {
      for (Path task : all.toList()) {
        String name = Files.readString(task.resolve("comm")).strip();
        if (!VARYING.matcher(name).matches()) {
          names.add(name);
        }
      }
    }
    Collections.sort(names);
    return names;
  }

  private static List<String> links(Path directory) throws IOException {
    List<String> links = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        links.add(comparable(Files.readSymbolicLink(entry).toString()));
      }
    } catch (NoSuchFileException e) {
      return links(directory); // one was closed meanwhile
    }
    Collections.sort(links);
    return links;
  }

  /** Without process ids, times, inodes and directories of the tests. */
  private static String comparable(String file) {
    return file.replaceFirst("target/it/jvm[^/]*", "target/it/jvm").replaceAll("[0-9]{2,}", "N");
  }

  /** Fails if a JVM has anything that another one has not, or the other way round. */
  void mustBeAsOf(Inventory control) {
    Set<String> others = new TreeSet<>(classes);
    others.removeAll(control.classes);
    others.removeIf(name -> name.matches("(java|jdk|sun)\\..*"));
    assertEquals(Set.of(), others);
    assertEquals(control.classes.size(), classes.size(), FEW_CLASSES);
    assertEquals(control.threads, threads);
    assertEquals(control.descriptors, descriptors);
    assertEquals(control.files, files);
    assertEquals(control.signals, signals);
    assertEquals(control.mappings, mappings, FEW_MAPPINGS);
    assertEquals(control.metaspaceBytes, metaspaceBytes, FEW_METASPACE);
    assertEquals(control.heapBytes, heapBytes, FEW_BYTES);
  }

  /** What can be counted. */
  String figures() {
    return "%d classes, %d threads, %d descriptors, %d mappings, metaspace %d KiB, heap %d KiB"
        .formatted(
            classes.size(),
            threads.size(),
            descriptors.size(),
            mappings,
            metaspaceBytes >> 10,
            heapBytes >> 10);
  }
}
