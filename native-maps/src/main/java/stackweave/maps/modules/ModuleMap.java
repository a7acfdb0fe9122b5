package stackweave.maps.modules;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import stackweave.unwind.walk.CodeModules;

/**
 * The modules' executable ranges at one moment. Immutable; {@link #find} does not allocate.
 * Addresses between a module's ranges belong to none.
 */
public final class ModuleMap implements CodeModules {
  private final int generation;
  private final List<CodeRange> ranges;
  private final long[] starts;
  private final long[] ends;
  private final MappedModule[] modules;
  private final AnonymousCode anonymous;

  /**
   * @param ranges ascending by unsigned start, not overlapping
   * @param anonymous what is executable beside them
   */
  ModuleMap(int generation, List<CodeRange> ranges, AnonymousCode anonymous) {
    this.generation = generation;
    this.anonymous = anonymous;
    this.ranges = List.copyOf(ranges);
    int count = ranges.size();
    starts = new long[count];
    ends = new long[count];
    modules = new MappedModule[count];
    for (int i = 0; i < count; i++) {
      // Offset by 2^63, so that signed comparison orders unsigned addresses.
      starts[i] = ranges.get(i).start() + Long.MIN_VALUE;
      ends[i] = ranges.get(i).end() + Long.MIN_VALUE;
      modules[i] = ranges.get(i).module();
    }
  }

  @Override
  public int generation() {
    return generation;
  }

  @Override
  public MappedModule find(long pc) {
    int i = indexOf(pc);
    return i < 0 ? null : modules[i];
  }

  @Override
  public boolean isExecutable(long pc) {
    return indexOf(pc) >= 0 || anonymous.contains(pc);
  }

  /** First address of the executable range that contains {@code pc}; 0 if none does. */
  public long rangeStart(long pc) {
    int i = indexOf(pc);
    return i < 0 ? 0 : ranges.get(i).start();
  }

  /** First address after the executable range that contains {@code pc}; 0 if none does. */
  public long rangeEnd(long pc) {
    int i = indexOf(pc);
    return i < 0 ? 0 : ranges.get(i).end();
  }

  /** The executable range that contains {@code pc}, or null. */
  CodeRange range(long pc) {
    int i = indexOf(pc);
    return i < 0 ? null : ranges.get(i);
  }

  private int indexOf(long pc) {
    long wanted = pc + Long.MIN_VALUE;
    int low = 0;
    int high = starts.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (starts[middle] <= wanted) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high >= 0 && wanted < ends[high] ? high : -1;
  }

  /** The modules, each once, lowest address first. */
  public List<MappedModule> modules() {
    return List.copyOf(new LinkedHashSet<>(Arrays.asList(modules)));
  }

  /** The module whose file has this name, such as {@code libjvm.so}, or null; the lowest first. */
  public MappedModule named(String name) {
    for (MappedModule module : modules) {
      if (module.name().equals(name)) {
        return module;
      }
    }
    return null;
  }

  List<CodeRange> ranges() {
    return ranges;
  }
}
