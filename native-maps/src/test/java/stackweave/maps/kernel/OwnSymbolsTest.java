package stackweave.maps.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.unwind.TableMemory;

/** The kernel's own code has the names that a plain map of all lines gives it. */
class OwnSymbolsTest {
  private static final long BASE = 0xffffffff81000000L;

  @TempDir Path directory;

  /** Asks at all starts and the bytes beside them. */
  void check(String text) throws IOException {
    TreeMap<Long, String> expected = new TreeMap<>(Long::compareUnsigned);
    TreeSet<Long> asked = new TreeSet<>();
    long end = 0;
    for (String line : text.split("\n")) {
      long address = Long.parseUnsignedLong(line.substring(0, 16), 16);
      asked.addAll(List.of(address - 1, address, address + 1));
      if (line.endsWith(" _etext")) {
        end = address;
      }
      if (address != 0 && "tTwW".indexOf(line.charAt(17)) >= 0 && !line.endsWith("]")) {
        expected.putIfAbsent(address, line.substring(19));
      }
    }
    expected = new TreeMap<>(expected.headMap(end));
    KernelSymbols symbols =
        KernelSymbols.read(
            Files.writeString(directory.resolve("kallsyms"), text), TableMemory.HEAP);
    assertEquals(expected.size(), symbols.size());
    for (long address : asked) {
      int found = symbols.find(address);
      Map.Entry<Long, String> wanted = expected.floorEntry(address);
      if (wanted == null || Long.compareUnsigned(address, end) >= 0) {
        assertEquals(KernelSymbols.NONE, found, () -> Long.toHexString(address));
        assertFalse(symbols.isOwnText(address));
      } else {
        assertEquals(wanted.getValue(), symbols.name(found), () -> Long.toHexString(address));
        assertEquals(wanted.getKey(), symbols.start(found));
        assertTrue(symbols.isOwnText(address));
      }
    }
  }

  /** What a kernel shows: with all symbols, data among them, or with those of code alone. */
  private static String kernel(boolean all, int seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    if (all) {
      text.append("0000000000000000 A fixed_percpu_data\n");
      for (int i = 1; i < 300; i++) {
        text.append(String.format("%016x A percpu_%d\n", 64 * i, i));
      }
    }
    text.append("ffffffff81000000 T _stext\nffffffff81000000 T _text\n");
    long at = BASE;
    for (int i = 0; i < 20_000; i++) {
      // Aliases are of one address, sometimes more of them than a piece has lines.
      boolean alias = random.nextInt(8) == 0 || (i > 5_000 && i < 5_300);
      at += alias ? 0 : random.nextInt(500) == 0 ? 1 << 20 : 16 * random.nextInt(20);
      char type = "ttttttTTTTTWwdDrRB".charAt(random.nextInt(18));
      String name = "s" + "x".repeat(random.nextInt(60)) + i;
      text.append(String.format("%016x %c %s\n", at, type, i == 9_999 ? "_etext_like" : name));
    }
    at += 64;
    text.append(String.format("%016x T _etext\n", at));
    // Without their symbols, there are rodata and data between the code and that of boot.
    at += all ? 0 : 16 << 20;
    for (int i = 0; i < 3_000; i++) {
      at += 16 * random.nextInt(20);
      text.append(String.format("%016x %c data%d\n", at, all ? 'd' : 't', i));
    }
    text.append("ffffffffa0000000 T _sinittext\nffffffffa0000000 t init\n");
    for (int i = 0; i < 500; i++) {
      long module = 0xffffffffc0000000L + 4096L * random.nextInt(100);
      text.append(String.format("%016x t in_module%d\t[some]\n", module, i));
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void allSymbols(int seed) throws IOException {
    check(kernel(true, seed));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void codeAlone(int seed) throws IOException {
    check(kernel(false, seed));
  }

  @Test
  void whatIsOutOfOrderIsSorted() throws IOException {
    String[] lines = kernel(true, 1).split("\n");
    for (int i = 8_000; i < 8_500; i++) {
      String line = lines[i];
      lines[i] = lines[i + 1_000];
      lines[i + 1_000] = line;
    }
    check(String.join("\n", lines));
  }
}
