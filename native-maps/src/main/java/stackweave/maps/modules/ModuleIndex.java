package stackweave.maps.modules;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import stackweave.maps.proc.Mapping;
import stackweave.maps.proc.ProcMaps;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.rule.RuleTable;

/**
 * The modules mapped at each moment of the last seconds, as versions of {@link ModuleMap}: a
 * library can be mapped where another one was a moment ago, so each sample is unwound with the map
 * of its time. A version begins with {@link #refresh}, which reads /proc/PID/maps and is the only
 * way to find what was unmapped, or with {@link #mapped}, which takes a kernel record of a new
 * mapping. For the unwinding thread only. Times are of {@link System#nanoTime}.
 */
public final class ModuleIndex {
  /**
   * Limit of versions: samples are drained within a second or so, and older ones get the oldest
   * version.
   */
  private static final int MAX_VERSIONS = 64;

  private static final long MAX_AGE_NANOS = 30_000_000_000L;

  private static final int MAX_UNLOADED = 1_024;

  private static final String JAVA_HOME = System.getProperty("java.home") + "/";
  private static final String VDSO = "[vdso]";
  private static final String DELETED = " (deleted)";
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

  /**
   * The mappings from a time on.
   *
   * @param complete whether it was read from /proc/PID/maps, and so has all mappings
   */
  private record Version(long since, ModuleMap map, boolean complete) {}

  /**
   * For the own process.
   *
   * @param memory reads the own memory
   * @param rules receives the rules of all modules
   */
  public ModuleIndex(MemoryReader memory, RuleTable rules) {
    this(memory, rules, ModuleSources.standard());
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
   * Files of deleted libraries are read through what is kept.
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

  /** What the loader has counted since it was asked before. */
  @FunctionalInterface
  public interface Changes {
    /** Whether no other libraries than these have come and gone; asked after a reading. */
    boolean areAll(long come, long gone);
  }

  /**
   * As {@link #refresh(long, long)}, where the loader counts: no library came or went before {@code
   * foundSince}. From then until {@code timeNanos}, what was at a place counts only if it is
   * certain. If all changes are seen, that is what has not changed, what came where nothing was,
   * and what has gone and left its place empty. Else there have been libraries that nobody has
   * seen: then it is what has not changed, but for files that were unloaded before.
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
        changed ? versions.remove(versions.size() - 1) : new Version(timeNanos, latest(), true);
    if (!same && foundSince - complete.since() < 0) {
      long newest = versions.isEmpty() ? foundSince : versions.get(versions.size() - 1).since();
      long since = foundSince - newest < 0 ? newest : foundSince;
      versions.add(new Version(since, newMap(between), false));
      refreshedGeneration = lastGeneration;
    }
    versions.add(complete);
    trim();
    return true;
  }

  /** As {@link #refresh(long, long, Changes)} has it. */
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
      if (m.executable() && (m.isFile() || m.path().equals(VDSO))) {
        MappedModule module = moduleOf(known, m);
        if (module == null) {
          all = all == null ? ProcMaps.read(sources.process()) : all;
          module = openModule(m, all, null, ranges);
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
      versions.add(new Version(since, newMap(ranges), true));
      trim();
    }
    // Whether moved code still is a library's, these lines alone don't tell.
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

  /**
   * Adds a kernel record of a new executable mapping, which replaces what was in its range. A
   * record may come after samples of its time and after a refresh. One from before the history is
   * left out: the first refresh has found what it tells of.
   *
   * @param timeNanos when it was mapped
   * @param address first address
   * @param length in bytes
   * @param fileOffset offset of the range in the file, in bytes
   * @param path the kernel's name of it; not a file unless it begins with a single slash
   * @param buildId the build id in lower-case hexadecimal, or null if the kernel gave none
   */
  public void mapped(
      long timeNanos, long address, long length, long fileOffset, String path, String buildId) {
    if (length <= 0) {
      return;
    }
    int base = indexAt(timeNanos);
    if (base < 0 && !versions.isEmpty()) {
      return; // from before the oldest version, which has what is still mapped of it
    }
    long end = address + length;
    List<CodeRange> before = base < 0 ? List.of() : versions.get(base).map().ranges();
    CodeRange range =
        path.startsWith("/") && !path.startsWith("//")
            ? fileRange(record(address, end, fileOffset, path), buildId)
            : isMapped(before, address, end) ? movedRange(before, address, end) : null;
    if (range == null ? !isMapped(before, address, end) : before.contains(range)) {
      return;
    }
    versions.add(
        base + 1, new Version(timeNanos, newMap(replaced(before, address, end, range)), false));
    for (int i = base + 2; i < versions.size() && !versions.get(i).complete(); i++) {
      Version later = versions.get(i);
      if (!isMapped(later.map().ranges(), address, end)) {
        List<CodeRange> ranges = replaced(later.map().ranges(), address, end, range);
        versions.set(i, new Version(later.since(), newMap(ranges), false));
      }
    }
    trim();
  }

  /** Memory of no file at the place of a module's code, if it still is that module's; or null. */
  private CodeRange movedRange(List<CodeRange> before, long start, long end) {
    try {
      List<Mapping> all = ProcMaps.read(sources.process());
      for (Mapping m : all) {
        if (m.executable() && !m.isFile() && m.start() <= start && end <= m.end()) {
          Mapping file = moved.ofFile(m, all);
          MappedModule module = file == null ? null : moduleOf(before, file);
          return module == null ? null : new CodeRange(start, end, file, module);
        }
      }
    } catch (IOException e) {
      return null; // the next refresh tells
    }
    return null;
  }

  /** In a loop, as the kernel reports all executable memory, also the JVM's for compiled code. */
  private static boolean isMapped(List<CodeRange> ranges, long start, long end) {
    for (CodeRange range : ranges) {
      if (range.overlaps(start, end)) {
        return true;
      }
    }
    return false;
  }

  private static Mapping record(long start, long end, long offset, String path) {
    boolean deleted = path.endsWith(DELETED);
    String name = deleted ? path.substring(0, path.length() - DELETED.length()) : path;
    return new Mapping(start, end, true, false, true, false, offset, 0, 0, 0, name, deleted);
  }

  private CodeRange fileRange(Mapping record, String buildId) {
    CodeRange known = buildId == null ? null : verifiedRange(record, buildId);
    if (known != null) {
      return known;
    }
    List<Mapping> mappings = List.of();
    Mapping code = record;
    try {
      mappings = ProcMaps.read(sources.process());
      for (Mapping m : mappings) {
        if (m.executable() && m.isFile() && isRecorded(m, record)) {
          code = m;
        }
      }
    } catch (IOException e) {
      // Only the record is left then, with its build id to verify the file.
      mappings = List.of();
    }
    // Without a build id only the inode shows whether it is the former file.
    known = buildId == null ? knownRange(record, code, null) : null;
    if (known != null) {
      return known;
    }
    MappedModule module = openModule(code, mappings, buildId, latest().ranges());
    // A library just loaded may be a temporary file that is deleted next.
    module.image().readNow();
    return new CodeRange(record.start(), record.end(), code, module);
  }

  /**
   * The recorded range if it is known, or its file is still at its path according to the kernel's
   * build id; then the maps, which are long with many libraries, need not be read. Else null.
   */
  private CodeRange verifiedRange(Mapping record, String buildId) {
    CodeRange known = knownRange(record, record, buildId);
    if (known != null) {
      return known;
    }
    MappedModule module = openModule(record, List.of(), buildId, latest().ranges());
    if (module.origin() != ImageOrigin.FILE) {
      return null;
    }
    module.image().readNow();
    return new CodeRange(record.start(), record.end(), record, module);
  }

  /** The recorded range if a version has it already, from a refresh that came before the record. */
  private CodeRange knownRange(Mapping record, Mapping code, String buildId) {
    for (int i = versions.size() - 1; i >= 0; i--) {
      CodeRange range = versions.get(i).map().range(record.start());
      if (range != null
          && range.start() == record.start()
          && range.isSameImage(code)
          && (buildId == null || buildId.equals(range.module().buildId()))) {
        return new CodeRange(record.start(), record.end(), range.mapping(), range.module());
      }
    }
    return null;
  }

  /** Whether a present mapping is the recorded one, or a part of it. */
  private static boolean isRecorded(Mapping m, Mapping record) {
    return m.path().equals(record.path())
        && m.start() - m.offset() == record.start() - record.offset()
        && Long.compareUnsigned(m.start(), record.end()) < 0
        && Long.compareUnsigned(record.start(), m.end()) < 0;
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
      Mapping code, List<Mapping> mappings, String buildId, List<CodeRange> neighbours) {
    ModuleImage image = opener.open(code, mappings, buildId);
    long bias = MappedModule.bias(image, code);
    for (CodeRange range : neighbours) {
      if (range.module().image() == image && range.module().bias() == bias) {
        return range.module();
      }
    }
    return new MappedModule(++lastModuleId, code, image);
  }

  /** Replaces a range by {@code added}, which may be null. */
  private static List<CodeRange> replaced(
      List<CodeRange> ranges, long start, long end, CodeRange added) {
    List<CodeRange> result = new ArrayList<>();
    for (CodeRange r : ranges) {
      if (!r.overlaps(start, end)) {
        result.add(r);
        continue;
      }
      if (Long.compareUnsigned(r.start(), start) < 0) {
        result.add(new CodeRange(r.start(), start, r.mapping(), r.module()));
      }
      if (Long.compareUnsigned(r.end(), end) > 0) {
        result.add(new CodeRange(end, r.end(), r.mapping(), r.module()));
      }
    }
    if (added != null) {
      result.add(added);
    }
    result.sort((a, b) -> Long.compareUnsigned(a.start(), b.start()));
    return result;
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
