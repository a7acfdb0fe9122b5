package stackweave.maps.modules;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.maps.proc.ProcessFiles;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.rule.RuleTable;

/**
 * The modules mapped at each moment of the last seconds, as versions of {@link ModuleMap}: a
 * library can be mapped where another one was a moment ago, so each sample is unwound with the map
 * of its time. Versions begin with {@link #refresh}, which reads /proc/PID/maps. For the unwinding
 * thread only. Times are of {@link System#nanoTime}.
 */
public final class ModuleIndex {
  /**
   * Limit of versions: samples are drained within a second or so, and older ones get the oldest
   * version.
   */
  private static final int MAX_VERSIONS = 64;

  private static final long MAX_AGE_NANOS = 30_000_000_000L;

  private static final int MAX_UNLOADED = 1_024;

  /** Ranges of files' code, each of which is compared with all others; more are unknown code. */
  private static final int MAX_RANGES = 1_024;

  private static final String JAVA_HOME = System.getProperty("java.home") + "/";
  private static final String VDSO = "[vdso]";
  private static final ModuleMap NOTHING = new ModuleMap(0, List.of(), new AnonymousCode());

  private final ModuleSources sources;
  private final ImageOpener opener;
  private final MovedCode moved;
  private final AnonymousCode anonymous = new AnonymousCode();
  private final List<Version> versions = new ArrayList<>();

  /** Paths of libraries that were seen to go: they may come again at any time. */
  private final Set<String> unloaded = new HashSet<>();

  private int lastGeneration;
  private int lastModuleId;

  /** The executable lines of the last refresh, and the generation after it. */
  private List<String> refreshedLines;

  private int refreshedGeneration;

  /** The mappings from a time on. */
  private record Version(long since, ModuleMap map) {}

  /**
   * For the own process.
   *
   * @param memory reads the own memory
   * @param rules receives the rules of all modules
   */
  public ModuleIndex(MemoryReader memory, RuleTable rules) {
    this(memory, rules, ModuleSources.of(Path.of("/proc/self"), ProcessFiles.OWN));
  }

  /**
   * For the process of {@code sources}.
   *
   * @param memory reads that process's memory
   */
  public ModuleIndex(MemoryReader memory, RuleTable rules, ModuleSources sources) {
    this.sources = sources;
    this.opener = new ImageOpener(memory, rules, sources);
    this.moved = new MovedCode(opener);
  }

  /**
   * Sets who keeps files of deleted libraries, through which these are read.
   *
   * @throws IllegalStateException after the first refresh, which has opened some without it
   */
  public void keptBy(KeptFiles kept) {
    if (!versions.isEmpty()) {
      throw new IllegalStateException("modules are open already");
    }
    opener.keptBy(kept);
  }

  /**
   * The mappings at a time; the oldest known for an earlier time. Empty before the first {@link
   * #refresh}.
   */
  public ModuleMap at(long timeNanos) {
    return versions.isEmpty() ? NOTHING : versions.get(Math.max(indexAt(timeNanos), 0)).map();
  }

  /** The latest known mappings. */
  public ModuleMap latest() {
    return versions.isEmpty() ? NOTHING : versions.get(versions.size() - 1).map();
  }

  /**
   * As {@link #refresh(long)}, for engines that don't report mappings and call this when a pc is in
   * no module: new mappings count from {@code foundSince} on, and those that vanished until {@code
   * timeNanos}.
   *
   * @param foundSince the time of the sample with that pc, at most {@code timeNanos}
   * @return whether anything has changed
   * @throws IOException if maps can't be read; the state is unchanged then
   */
  public boolean refresh(long timeNanos, long foundSince) throws IOException {
    return refresh(timeNanos, foundSince, (come, gone) -> true);
  }

  /** The changes that the loader has counted since the last reading. */
  @FunctionalInterface
  public interface Changes {
    /** Whether no other libraries than these have come and gone; asked after a reading. */
    boolean areAll(long come, long gone);
  }

  /**
   * As {@link #refresh(long, long)}, where the loader counts: no library came or went before {@code
   * foundSince}. From then until {@code timeNanos} a place has only what is certain. If {@code
   * changes} confirms that all changes are seen, that is what has not changed, what came where
   * nothing was, and what went and left its place empty. Otherwise libraries may have come and gone
   * unseen: then it is what has not changed, without files that were unloaded before.
   */
  public boolean refresh(long timeNanos, long foundSince, Changes changes) throws IOException {
    List<CodeRange> before = latest().ranges();
    int generation = lastGeneration;
    refresh(timeNanos);
    boolean changed = lastGeneration != generation;
    List<CodeRange> after = latest().ranges();
    List<CodeRange> between = certain(before, after, changes);
    boolean same = between.equals(before);
    if (same && !changed) {
      return false;
    }
    Version complete =
        changed ? versions.remove(versions.size() - 1) : new Version(timeNanos, latest());
    if (!same && foundSince - complete.since() < 0) {
      long newest = versions.isEmpty() ? foundSince : versions.get(versions.size() - 1).since();
      long since = foundSince - newest < 0 ? newest : foundSince;
      versions.add(new Version(since, newMap(between)));
      refreshedGeneration = lastGeneration;
    }
    versions.add(complete);
    trim();
    return true;
  }

  /** The ranges that {@link #refresh(long, long, Changes)} calls certain. */
  private List<CodeRange> certain(List<CodeRange> before, List<CodeRange> after, Changes changes) {
    if (before == after && changes.areAll(0, 0)) {
      return before;
    }
    List<CodeRange> gone = without(before, after);
    List<CodeRange> come = without(after, before);
    List<CodeRange> stayed = without(before, gone);
    for (CodeRange range : gone) {
      if (unloaded.size() >= MAX_UNLOADED) {
        unloaded.clear();
      }
      unloaded.add(range.module().path());
    }
    if (changes.areAll(modules(come), modules(gone))) {
      addApart(stayed, gone, come);
      addApart(stayed, come, gone);
      stayed.sort((a, b) -> Long.compareUnsigned(a.start(), b.start()));
    } else {
      stayed.removeIf(range -> unloaded.contains(range.module().path()));
    }
    return stayed;
  }

  private static List<CodeRange> without(List<CodeRange> ranges, List<CodeRange> others) {
    List<CodeRange> rest = new ArrayList<>(ranges);
    rest.removeAll(new HashSet<>(others));
    return rest;
  }

  private static long modules(List<CodeRange> ranges) {
    return ranges.stream().map(CodeRange::module).distinct().count();
  }

  private static void addApart(
      List<CodeRange> result, List<CodeRange> ranges, List<CodeRange> others) {
    for (CodeRange range : ranges) {
      if (others.stream().noneMatch(other -> other.overlaps(range.start(), range.end()))) {
        result.add(range);
      }
    }
  }

  /**
   * Reads /proc/PID/maps: adds unrecorded mappings and drops those that have vanished. Must be
   * called once before the first sample, and whenever ranges may have vanished.
   *
   * @param timeNanos from when on the new state holds
   * @throws IOException if maps can't be read; the state is unchanged then
   */
  public void refresh(long timeNanos) throws IOException {
    List<String> lines = ProcMaps.executable(sources.process());
    if (lastGeneration == refreshedGeneration && lines.equals(refreshedLines)) {
      return;
    }
    List<Mapping> executable = ProcMaps.parse(lines);
    List<Mapping> all = moved.isIn(executable) ? ProcMaps.read(sources.process()) : null;
    List<Mapping> mappings = all == null ? executable : moved.asOfFiles(executable, all);
    List<CodeRange> known = latest().ranges();
    List<CodeRange> ranges = new ArrayList<>();
    setAnonymous(mappings);
    for (Mapping m : mappings) {
      if (m.executable() && (m.isFile() || m.path().equals(VDSO)) && ranges.size() < MAX_RANGES) {
        MappedModule module = moduleOf(known, m);
        if (module == null) {
          all = all == null ? ProcMaps.read(sources.process()) : all;
          module = openModule(m, all, ranges);
          if (mayVanish(m.path())) {
            module.image().readNow();
          }
        }
        add(ranges, m, module);
      }
    }
    if (versions.isEmpty() || !known.equals(ranges)) {
      long newest = versions.isEmpty() ? timeNanos : versions.get(versions.size() - 1).since();
      long since = timeNanos - newest < 0 ? newest : timeNanos;
      versions.add(new Version(since, newMap(ranges)));
      trim();
    }
    // These lines alone do not show whether moved code is still a library's.
    refreshedLines = mappings.equals(executable) ? lines : null;
    refreshedGeneration = lastGeneration;
  }

  /** Adds a range, or goes on with the last one, a part of which may have been moved. */
  private static void add(List<CodeRange> ranges, Mapping m, MappedModule module) {
    CodeRange last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
    if (last != null && last.end() == m.start() && last.module() == module && last.isSameImage(m)) {
      ranges.set(ranges.size() - 1, new CodeRange(last.start(), m.end(), last.mapping(), module));
    } else {
      ranges.add(new CodeRange(m.start(), m.end(), m, module));
    }
  }

  private void setAnonymous(List<Mapping> mappings) {
    long[] bounds = new long[2 * mappings.size()];
    int count = 0;
    for (Mapping m : mappings) {
      if (m.executable() && !m.isFile() && !m.path().equals(VDSO) && m.start() > 0) {
        if (count > 0 && bounds[count - 1] == m.start()) {
          count -= 2;
        } else {
          bounds[count] = m.start();
        }
        bounds[count + 1] = m.end();
        count += 2;
      }
    }
    anonymous.set(Arrays.copyOf(bounds, count));
  }

  /**
   * Another number after each change of what is executable and of no file, as far as {@link
   * #refresh(long)} has seen it.
   */
  public int anonymousVersion() {
    return anonymous.version();
  }

  /**
   * Whether the file may be deleted soon, like a JNI library unpacked into a temporary file; those
   * of the system and the JDK stay, and are read at first use.
   */
  private static boolean mayVanish(String path) {
    return !path.startsWith("/usr/") && !path.startsWith("/lib") && !path.startsWith(JAVA_HOME);
  }

  private static MappedModule moduleOf(List<CodeRange> ranges, Mapping m) {
    for (CodeRange range : ranges) {
      if (range.overlaps(m.start(), m.end()) && range.isSameImage(m)) {
        return range.module();
      }
    }
    return null;
  }

  /** The module that {@code code} is another range of, or a new one. */
  private MappedModule openModule(
      Mapping code, List<Mapping> mappings, List<CodeRange> neighbours) {
    ModuleImage image = opener.open(code, mappings);
    long bias = MappedModule.bias(image, code);
    for (CodeRange range : neighbours) {
      if (range.module().image() == image && range.module().bias() == bias) {
        return range.module();
      }
    }
    return new MappedModule(++lastModuleId, code, image);
  }

  private ModuleMap newMap(List<CodeRange> ranges) {
    return new ModuleMap(++lastGeneration, ranges, anonymous);
  }

  /** The last version that began at or before a time, or −1. */
  private int indexAt(long timeNanos) {
    int i = versions.size() - 1;
    while (i >= 0 && versions.get(i).since() - timeNanos > 0) {
      i--;
    }
    return i;
  }

  /** Drops versions that no sample can need any more. */
  private void trim() {
    long newest = versions.get(versions.size() - 1).since();
    while (versions.size() > MAX_VERSIONS
        || (versions.size() > 1 && newest - versions.get(1).since() > MAX_AGE_NANOS)) {
      versions.remove(0);
    }
  }
}
