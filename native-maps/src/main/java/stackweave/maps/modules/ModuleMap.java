package stackweave.maps.modules;

import java.util.List;
import stackweave.unwind.section.SortedIndex;
import stackweave.unwind.walk.CodeModules;

/**
 * The modules' executable ranges at one moment. Immutable; {@link #find} does not allocate.
 * Addresses between a module's ranges belong to none.
 */
public final class ModuleMap implements CodeModules {
  private final int generation;
  private final List<CodeRange> ranges;
  private final SortedIndex index;
  private final AnonymousCode anonymous;

  /**
   * @param ranges ascending by unsigned start, not overlapping
   * @param anonymous what is executable beside them
   */
  ModuleMap(int generation, List<CodeRange> ranges, AnonymousCode anonymous) {
    this.generation = generation;
    this.anonymous = anonymous;
    this.ranges = List.copyOf(ranges);
    index = new SortedIndex(ranges.size());
    for (int i = 0; i < ranges.size(); i++) {
      index.add(ranges.get(i).start(), i);
    }
    index.sort();
  }

  @Override
  public int generation() {
    return generation;
  }

  @Override
  public MappedModule find(long pc) {
    CodeRange range = range(pc);
    return range == null ? null : range.module();
  }

  @Override
  public boolean isExecutable(long pc) {
    return range(pc) != null || anonymous.contains(pc);
  }

  /** First address of the executable range that contains {@code pc}; 0 if none does. */
  public long rangeStart(long pc) {
    CodeRange range = range(pc);
    return range == null ? 0 : range.start();
  }

  /** First address after the executable range that contains {@code pc}; 0 if none does. */
  public long rangeEnd(long pc) {
    CodeRange range = range(pc);
    return range == null ? 0 : range.end();
  }

  /** The executable range that contains {@code pc}, or null. */
  CodeRange range(long pc) {
    int i = index.floor(pc);
    return i >= 0 && Long.compareUnsigned(pc, ranges.get(i).end()) < 0 ? ranges.get(i) : null;
  }

  /** The modules, each once, lowest address first. */
  public List<MappedModule> modules() {
    return ranges.stream().map(CodeRange::module).distinct().toList();
  }

  /** The module whose file has this name, such as {@code libjvm.so}, or null; the lowest first. */
  public MappedModule named(String name) {
    return modules().stream().filter(m -> m.name().equals(name)).findFirst().orElse(null);
  }

  List<CodeRange> ranges() {
    return ranges;
  }
}
