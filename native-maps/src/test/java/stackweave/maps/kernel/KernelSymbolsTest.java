package stackweave.maps.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.unwind.TableMemory;

class KernelSymbolsTest {
  @TempDir Path directory;

  private KernelSymbols symbols(String text) throws IOException {
    Path file = directory.resolve("kallsyms");
    Files.writeString(file, text);
    KernelSymbols symbols = KernelSymbols.read(file, TableMemory.HEAP);
    symbols.readOthers(new KernelModules(Map.of()));
    return symbols;
  }

  /** The addresses and sizes of a kernel 6.18 with a module before, between and behind others. */
  private static final String KALLSYMS =
      """
      ffffffff81000000 T _stext
      ffffffff81000040 t do_syscall_64
      ffffffff81000080 d not_code
      ffffffff81000100 W weak_one
      ffffffff82206448 T _etext
      ffffffff82300000 R in_rodata
      ffffffff83782000 T _sinittext
      ffffffff83782010 t set_reset_devices
      ffffffff837f76d0 T _einittext
      ffffffffc0001000 t ext4_first\t[ext4]
      ffffffffc0001400 t ext4_last\t[ext4]
      ffffffffc0001800 d ext4_data\t[ext4]
      ffffffffc0000000 t xfs_only\t[xfs]
      ffffffffc0009000 t coming\t[nf_tables]
      ffffffffc000b000 t outside_of_its_module\t[ext4]
      ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]
      ffffffffc0202000 t kprobe_insn_page\t[__builtin__kprobes]
      ffffffffc0400040 t bpf_prog_6deef7357e7b4530_sd_devices\t[bpf]
      ffffffffc0400400 t bpf_prog_0123456789abcdef\t[bpf]
      ffffffffc0401000 t bpf_trampoline_6442536467\t[bpf]
      """;

  private static final String MODULES =
      """
      ext4 20480 1 mbcache,jbd2, Live 0xffffffffc0001000
      xfs 8192 0 - Live 0xffffffffc0000000 (O)
      nf_tables 4096 0 - Loading 0xffffffffc0009000
      """;

  private KernelSymbols withModules() throws IOException {
    Path kallsyms = directory.resolve("kallsyms");
    Path modules = directory.resolve("modules");
    Files.writeString(kallsyms, KALLSYMS);
    Files.writeString(modules, MODULES);
    KernelSymbols symbols = KernelSymbols.read(kallsyms, TableMemory.HEAP);
    symbols.readOthers(KernelModules.read(modules));
    return symbols;
  }

  private static void named(String name, KernelSymbols symbols, long... addresses) {
    for (long address : addresses) {
      int found = symbols.find(address);
      String what = found == KernelSymbols.NONE ? null : symbols.name(found);
      assertEquals(name, what, Long.toHexString(address));
    }
  }

  @Test
  void ownCodeHasTheNameOfTheSymbolBelow() throws IOException {
    KernelSymbols symbols = withModules();
    named("_stext", symbols, 0xffffffff81000000L, 0xffffffff8100003fL);
    named("do_syscall_64", symbols, 0xffffffff81000040L, 0xffffffff810000a0L);
    named("weak_one", symbols, 0xffffffff81000100L, 0xffffffff82206447L);
    assertEquals(0xffffffff81000040L, symbols.start(symbols.find(0xffffffff81000041L)));
  }

  /** What only ran at boot is freed, and its symbols stay. */
  @Test
  void nothingBehindTheEndOfItsCodeHasTheNameOfKernelCode() throws IOException {
    KernelSymbols symbols = withModules();
    named(null, symbols, 0xffffffff80ffffffL, 0xffffffff82206448L, 0xffffffff82300001L);
    named(null, symbols, 0xffffffff83782000L, 0xffffffff83782020L, 0xffffffff837f76d0L);
    named(null, symbols, 0xffffffff90000000L, 0xffffffffbfffffffL);
  }

  @Test
  void aModulesSymbolsEndWithIt() throws IOException {
    KernelSymbols symbols = withModules();
    named("xfs_only", symbols, 0xffffffffc0000000L, 0xffffffffc0000fffL);
    named("ext4_first", symbols, 0xffffffffc0001000L, 0xffffffffc00013ffL);
    // its module is five pages long, of which the last ones are data
    named("ext4_last", symbols, 0xffffffffc0001400L, 0xffffffffc0001fffL);
    named(null, symbols, 0xffffffffc0002000L, 0xffffffffc0005fffL, 0xffffffffc0008000L);
    named(null, symbols, 0xffffffffc0009000L, 0xffffffffc0009001L);
    named(null, symbols, 0xffffffffc000b000L, 0xffffffffc000b010L);
  }

  @Test
  void aModuleThatIsNotListedHasNoNames() throws IOException {
    KernelSymbols symbols = symbols(KALLSYMS);
    named("do_syscall_64", symbols, 0xffffffff81000040L);
    named(null, symbols, 0xffffffffc0001000L, 0xffffffffc0000001L, 0xffffffffc0400040L);
  }

  @Test
  void programsAndTrampolinesHaveNoNames() throws IOException {
    KernelSymbols symbols = withModules();
    // a seccomp filter's program may lie behind one that has a symbol
    named(
        null,
        symbols,
        0xffffffffc0400040L,
        0xffffffffc04000c0L,
        0xffffffffc0400380L,
        0xffffffffc0400400L);
    named(null, symbols, 0xffffffffc0201010L, 0xffffffffc0202010L, 0xffffffffc0401010L);
    named(null, symbols, 0xffffffffc0600000L, -1L);
  }

  @Test
  void onlyOwnCodeKeepsItsNames() throws IOException {
    KernelSymbols symbols = withModules();
    assertEquals(
        List.of(true, true, false, false, false),
        Stream.of(
                0xffffffff81000000L,
                0xffffffff82206447L,
                0xffffffff82206448L,
                0xffffffff80ffffffL,
                0xffffffffc0001000L)
            .map(symbols::isOwnText)
            .toList());
  }

  /** Without CONFIG_KALLSYMS_ALL the marks may be missing. */
  @Test
  void withoutAMarkTheLastSymbolEndsWithItsPage() throws IOException {
    KernelSymbols symbols = symbols("ffffffff81000040 t first\nffffffff81000123 T last\n");
    named("last", symbols, 0xffffffff81000123L, 0xffffffff81000fffL);
    named(null, symbols, 0xffffffff81001000L, 0xffffffff8100003fL);
  }

  @Test
  void twoNamesOfOneAddressAreOneThroughout() throws IOException {
    KernelSymbols symbols =
        symbols(
            "ffffffff81000000 T _stext\nffffffff81000040 t one\nffffffff81000040 t two\n"
                + "ffffffff81000080 T _etext\n");
    named("one", symbols, 0xffffffff81000040L, 0xffffffff81000041L, 0xffffffff8100007fL);
    named(null, symbols, 0xffffffff81000080L);
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
      long at =
          i < 60_000
              ? 0xffffffff81000000L + 16L * i
              : 0xffffffffc0000000L + random.nextInt(1 << 29);
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
    assertEquals(0, KernelSymbols.read(directory.resolve("absent"), TableMemory.HEAP).size());
  }
}
