package stackweave.hotspot.replay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.hotspot.replay.ModuleDescriptions.ModuleDescription;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;

/** Modules that remember which addresses were looked up, and what was answered. Not thread-safe. */
final class RecordingModules implements CodeModules {
  private static final long[] NO_WORDS = {};

  private final CodeModules modules;
  private final ModuleDescriptions descriptions;
  private final RuleTable rules;
  private final Map<Long, Range> ranges = new HashMap<>();

  RecordingModules(CodeModules modules, ModuleDescriptions descriptions, RuleTable rules) {
    this.modules = modules;
    this.descriptions = descriptions;
    this.rules = rules;
  }

  @Override
  public int generation() {
    return modules.generation();
  }

  @Override
  public CodeModule find(long pc) {
    for (Range range : ranges.values()) {
      if (range.holds(pc)) {
        return range;
      }
    }
    CodeModule module = modules.find(pc);
    if (module == null) {
      return null;
    }
    ModuleDescription description = descriptions.at(pc);
    return ranges.computeIfAbsent(description.start(), start -> new Range(module, description));
  }

  /** Makes sure that the symbol at an address is recorded, if there is a module. */
  void nameFrame(long address) {
    if (find(address) instanceof Range range) {
      range.symbols.put(address, descriptions.at(address).symbol());
    }
  }

  List<RecordedModule> take() {
    List<RecordedModule> recorded = new ArrayList<>();
    for (Range range : new TreeMap<>(ranges).values()) {
      recorded.add(range.recorded());
    }
    return recorded;
  }

  /** One executable range, serving as its module. */
  private final class Range implements CodeModule {
    private final CodeModule module;
    private final ModuleDescription description;
    private final UnwindTable table = new Rows();
    private final TreeMap<Long, Integer> found = new TreeMap<>();
    private final Map<Long, String> symbols = new HashMap<>();
    private final Map<Long, Long> starts = new HashMap<>();

    Range(CodeModule module, ModuleDescription description) {
      this.module = module;
      this.description = description;
    }

    boolean holds(long pc) {
      return Long.compareUnsigned(pc, description.start()) >= 0
          && Long.compareUnsigned(pc, description.end()) < 0;
    }

    @Override
    public long bias() {
      return module.bias();
    }

    @Override
    public UnwindTable unwindTable() {
      return table;
    }

    @Override
    public long functionStart(long pc) {
      return module.functionStart(pc);
    }

    private final class Rows implements UnwindTable {
      @Override
      public int find(long address) {
        int rule = module.unwindTable().find(address);
        found.put(address + bias(), rule);
        return rule;
      }

      @Override
      public long functionStart(long address) {
        long start = module.unwindTable().functionStart(address);
        if (start != NO_ADDRESS) {
          starts.put(address + bias(), start);
        }
        return start;
      }

      @Override
      public UnwindSource source() {
        return module.unwindTable().source();
      }
    }

    RecordedModule recorded() {
      starts.forEach(
          (address, start) -> {
            String name = symbols.getOrDefault(address, "");
            if (name.isEmpty()) {
              long offset = address - bias() - start;
              name = "0x" + Long.toHexString(start) + "+0x" + Long.toHexString(offset);
              symbols.put(address, name);
            }
          });
      symbols.keySet().forEach(address -> found.putIfAbsent(address, UnwindTable.NO_RULE));
      long[] addresses = found.keySet().stream().mapToLong(Long::longValue).toArray();
      long[][] words = new long[addresses.length][];
      String[] names = new String[addresses.length];
      for (int i = 0; i < addresses.length; i++) {
        int rule = found.get(addresses[i]);
        words[i] = rule < 0 ? NO_WORDS : rules.words(rule);
        names[i] = symbols.getOrDefault(addresses[i], "");
      }
      return new RecordedModule(
          description.path(),
          description.buildId(),
          description.start(),
          description.end(),
          bias(),
          table.source(),
          addresses,
          words,
          names);
    }
  }
}
