package stackweave.maps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelSymbolsTest {
  @TempDir Path directory;

  private KernelSymbols symbols(String text) throws IOException {
    Path file = directory.resolve("kallsyms");
    Files.writeString(file, text);
    return KernelSymbols.read(file);
  }

  @Test
  void findsTheSymbolBelowAmongKernelAndModules() throws IOException {
    KernelSymbols symbols =
        symbols(
            """
            ffffffff81000000 T _stext
            ffffffff81000040 t do_syscall_64
            ffffffff81000080 d not_code
            ffffffff81000100 W weak_one
            ffffffffc0001000 t in_module\t[ext4]
            ffffffffa0000000 t below_module\t[xfs]
            """);
    assertEquals(5, symbols.size());
    assertEquals("do_syscall_64", symbols.name(symbols.find(0xffffffff810000a0L)));
    assertEquals("weak_one", symbols.name(symbols.find(0xffffffff81000100L)));
    assertEquals("below_module", symbols.name(symbols.find(0xffffffffa0000001L)));
    assertEquals("in_module", symbols.name(symbols.find(0xffffffffc0001fffL)));
    assertEquals(0xffffffff81000040L, symbols.start(symbols.find(0xffffffff81000041L)));
    assertEquals(KernelSymbols.NONE, symbols.find(0xffffffff80ffffffL));
  }

  @Test
  void hiddenAddressesAreNoSymbols() throws IOException {
    assertEquals(0, symbols("0000000000000000 T _stext\n0000000000000000 t x\n").size());
  }

  @Test
  void oneSymbolAtZeroHidesNothing() throws IOException {
    KernelSymbols symbols =
        symbols("0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\n");
    assertEquals(1, symbols.size());
    assertEquals("_stext", symbols.name(0));
  }

  /** Far more than is read at a time, out of order from some line on, the last one unfinished. */
  @Test
  void allOfALongFile() throws IOException {
    StringBuilder text = new StringBuilder();
    TreeMap<Long, String> expected = new TreeMap<>();
    Random random = new Random(3);
    for (int i = 0; i < 100_000; i++) {
      long at = i < 60_000 ? 0xffffffff81000000L + 16L * i : 0xffffffffc0000000L + random.nextInt();
      String name = "symbol_" + "x".repeat(random.nextInt(40)) + i;
      if (expected.putIfAbsent(at, name) == null) {
        text.append(String.format("%016x t %s\n", at, name));
      }
    }
    text.setLength(text.length() - 1);
    KernelSymbols symbols = symbols(text.toString());
    assertEquals(expected.size(), symbols.size());
    expected.forEach((at, name) -> assertEquals(name, symbols.name(symbols.find(at))));
  }

  @Test
  void anUnreadableFileIsNoSymbols() {
    assertEquals(0, KernelSymbols.read(directory.resolve("absent")).size());
  }
}
