package stackweave.hotspot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.table.UnwindTables;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;

/** The executable mappings of this process as /proc/self/maps had them at {@link #refresh}. */
public final class ProcessModules implements CodeModules {
  record Module(String path, long start, long end, long bias, ElfImage image, UnwindTable table)
      implements CodeModule {
    @Override
    public UnwindTable unwindTable() {
      return table;
    }
  }

  private final RuleTable rules;
  private final ProcessMemory memory;
  private final Map<String, ElfImage> images = new HashMap<>();
  private final Map<ElfImage, UnwindTable> tables = new HashMap<>();
  private Module[] modules = new Module[0];
  private int generation;

  ProcessModules(RuleTable rules, ProcessMemory memory) throws IOException {
    this.rules = rules;
    this.memory = memory;
    refresh();
  }

  void refresh() throws IOException {
    List<Module> found = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      String[] columns = line.split(" +", 6);
      if (columns.length < 6 || columns[1].charAt(2) != 'x') {
        continue;
      }
      String[] range = columns[0].split("-");
      long start = Long.parseUnsignedLong(range[0], 16);
      long end = Long.parseUnsignedLong(range[1], 16);
      ElfImage image = image(columns[5], start, end);
      if (image != null) {
        long bias = start - image.addressOf(Long.parseLong(columns[2], 16));
        UnwindTable table =
            tables.computeIfAbsent(image, i -> UnwindTables.open(i.unwindSections(), rules));
        found.add(new Module(columns[5], start, end, bias, image, table));
      }
    }
    if (!found.equals(List.of(modules))) {
      modules = found.toArray(Module[]::new);
      generation++;
    }
  }

  private ElfImage image(String path, long start, long end) throws IOException {
    ElfImage known = images.get(path);
    if (known == null && path.equals("[vdso]")) {
      byte[] bytes = new byte[(int) (end - start)];
      try {
        memory.read(start, bytes, 0, bytes.length);
      } catch (UnreadableMemoryException e) {
        return null;
      }
      known = new ElfImage(ByteBuffer.wrap(bytes));
    } else if (known == null && path.startsWith("/") && Files.isReadable(Path.of(path))) {
      known = ElfImage.open(Path.of(path));
    }
    images.put(path, known);
    return known;
  }

  /** Runtime addresses of libjvm's exported symbols. */
  SymbolAddresses libjvm() {
    for (Module module : modules) {
      if (module.path().endsWith("/libjvm.so")) {
        Map<String, Long> symbols = module.image().dynamicSymbols();
        return name -> symbols.containsKey(name) ? symbols.get(name) + module.bias() : 0;
      }
    }
    throw new IllegalStateException("no libjvm in /proc/self/maps");
  }

  /** Runtime addresses of the C library's exported functions, ascending. */
  SortedSet<Long> libcFunctions() {
    SortedSet<Long> functions = new TreeSet<>();
    for (Module module : modules) {
      if (module.path().endsWith("/libc.so.6")) {
        for (long address : module.image().dynamicSymbols().values()) {
          if (find(address + module.bias()) == module) {
            functions.add(address + module.bias());
          }
        }
      }
    }
    return functions;
  }

  @Override
  public int generation() {
    return generation;
  }

  @Override
  public Module find(long pc) {
    int low = 0;
    int high = modules.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (pc < modules[middle].start()) {
        high = middle - 1;
      } else if (pc >= modules[middle].end()) {
        low = middle + 1;
      } else {
        return modules[middle];
      }
    }
    return null;
  }
}
