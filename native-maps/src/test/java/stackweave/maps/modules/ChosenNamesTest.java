package stackweave.maps.modules;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import stackweave.maps.SelfMemory;
import stackweave.testing.Commands;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;

/**
 * The names of the functions that the loader has chosen in this process, against what it wrote for
 * other libraries that call them by these names.
 */
class ChosenNamesTest {
  private static final List<String> CALLED =
      List.of("memcpy", "memmove", "memset", "memchr", "strlen", "strcmp", "strchr", "strrchr");

  /** Offset, info, type, symbol's value, and its name up to the version. */
  private static final Pattern SLOT =
      Pattern.compile("(?m)^(\\p{XDigit}+) +\\p{XDigit}+ R_\\S+(?:SLOT|GLOB_DAT) +\\S+ +([^@ ]+)");

  @Test
  void areThoseByWhichOtherLibrariesCallThem() throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "the slots of other processors");
    try (SelfMemory memory = new SelfMemory()) {
      ModuleIndex index = new ModuleIndex(memory, new RuleTable(Architecture.X86_64));
      index.refresh(System.nanoTime());
      ModuleMap map = index.latest();
      MappedModule libc = map.named("libc.so.6");
      Map<String, String> names = new TreeMap<>();
      for (String library : List.of("libjvm.so", "libjava.so", "libzip.so", "libjli.so")) {
        MappedModule module = map.named(library);
        Matcher slot = SLOT.matcher(Commands.output("readelf", "-rW", module.path()));
        while (slot.find()) {
          String name = slot.group(2);
          long target = memory.readLong(module.bias() + Long.parseLong(slot.group(1), 16));
          // A call that was never made leads into the library's own linkage table.
          if (CALLED.contains(name) && target >= libc.start() && target < libc.end()) {
            String found = libc.chosenName(target - libc.bias(), memory);
            names.put(name, found);
            assertTrue(
                found != null && Arrays.asList(found.split("/")).contains(name),
                () -> library + " calls " + name + ", and it is " + found);
          }
        }
      }
      System.out.println(names);
      assertTrue(names.size() >= 3, names::toString);
      assertNull(libc.chosenName(libc.addressOf("malloc") - libc.bias(), memory));
    }
  }
}
