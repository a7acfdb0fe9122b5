package stackweave.maps.demangle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.maps.RealLibraries;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.symbols.SymbolTable;
import stackweave.maps.symbols.SymbolTableTest;
import stackweave.testing.Commands;

/** Names as {@code c++filt} writes them. */
class DemanglerTest {
  /**
   * CPU time for a name, on a slow machine; one that explodes takes more than anybody's patience.
   */
  private static final long MAX_NANOS = 10_000_000_000L;

  static List<Path> libraries() {
    return Files.exists(RealLibraries.cpp()) ? List.of(RealLibraries.cpp()) : RealLibraries.small();
  }

  @TempDir Path directory;

  private static Set<String> functionNames(Path library) throws ElfFormatException {
    SymbolTable symbols = SymbolTableTest.symbols(library);
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; i < symbols.size(); i++) {
      names.add(symbols.rawName(i));
    }
    return names;
  }

  private List<String> cppfilt(Iterable<String> names, String... options) throws Exception {
    Path input = Files.write(directory.resolve("names"), names, StandardCharsets.ISO_8859_1);
    List<String> command = new ArrayList<>(List.of("c++filt"));
    command.addAll(List.of(options));
    return List.of(
        Commands.run(new ProcessBuilder(command).redirectInput(input.toFile()))
            .successfully()
            .out()
            .split("\n"));
  }

  /**
   * c++filt shows the parameters of a function that a name is inside of, or that is an argument of
   * a template in parentheses; and what GCC has added.
   */
  private static String withoutParameters(String text) {
    StringBuilder out = new StringBuilder();
    String name = text.replaceAll("\\[abi:\\w+\\]| \\[clone [^\\]]*\\]", "");
    for (int at = 0; at < name.length(); at++) {
      if (name.charAt(at) != '(') {
        out.append(name.charAt(at));
        continue;
      }
      int begin = at;
      for (int depth = 1; depth > 0; ) {
        char c = name.charAt(++at);
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      }
      String inside = name.substring(begin + 1, at);
      String rest = name.substring(at + 1);
      if (out.toString().endsWith("&")) {
        out.append(withoutParameters(inside + "::")).setLength(out.length() - 2);
      } else if (rest.matches("( const)?::.*")
          && !inside.equals("anonymous namespace")
          && !out.toString().endsWith("operator")) {
        at += rest.startsWith(" const") ? 6 : 0;
      } else if (!out.toString().endsWith("{lambda")) {
        out.append('(').append(inside).append(')');
      }
    }
    return out.toString();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void allFunctionsOfRealLibraries(Path library) throws Exception {
    List<String> names = new ArrayList<>(functionNames(library));
    // Of what the compiler makes c++filt shows the parameters.
    names.removeIf(name -> name.startsWith("_ZGTt") || name.startsWith("_ZT"));
    List<String> expected = cppfilt(names, "--no-params", "--no-verbose");
    int equal = 0;
    List<String> different = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String mine = Demangler.shortName(names.get(i));
      String wanted = withoutParameters(expected.get(i));
      if (mine.equals(wanted) || mine.contains("...")) {
        equal++;
      } else if (different.size() < 40) {
        different.add(names.get(i) + "\n  c++filt " + wanted + "\n  we      " + mine);
      }
    }
    System.out.println(library + ": " + equal + " of " + names.size() + " as c++filt");
    assertTrue(equal >= names.size() - names.size() / 10_000, () -> String.join("\n", different));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "_ZN9JavaCalls11call_helperEP9JavaValueRK12methodHandleP17JavaCallArgumentsP10JavaThread"
            + " | JavaCalls::call_helper",
        "_ZN20G1ParScanThreadState28trim_queue_to_threshold_implEj.isra.0"
            + " | G1ParScanThreadState::trim_queue_to_threshold_impl",
        "_ZNSt6vectorIiSaIiEE9push_backEOi | std::vector<int, std::allocator<int> >::push_back",
        "_ZNKSt3mapISsiSt4lessISsESaISt4pairIKSsiEEE2atERS3_"
            + " | std::map<std::string, int, std::less<std::string>,"
            + " std::allocator<std::pair<std::string const, int> > >::at",
        "_ZZN3FooC1EvENKUliE_clEi | Foo::Foo::{lambda#1}::operator()",
        "_ZN12_GLOBAL__N_13barE | (anonymous namespace)::bar",
        "_ZN3foo3barB5cxx11Ev | foo::bar",
        "_ZThn16_N3foo3barEv | non-virtual thunk to foo::bar",
        "_ZN3FoocvT_IiEEv | Foo::operator int<int>",
        "_Z3runIXadL_Z4handPKcEEEvv | run<&hand>",
        "_Z3runIXmlLi2EstiEEvv | run<...>",
        "_Z3runIFPFivEA2_A3_iRKcEEvv | run<int (* (int [2][3], char const&))()>",
        "_ZNSsC1Ev | std::basic_string<char, std::char_traits<char>, std::allocator<char>"
            + " >::basic_string",
        "_ZTC3Foo0_3Bar | _ZTC3Foo0_3Bar",
        "_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$..$u7b$$u7b$closure"
            + "$u7d$$u7d$$GT$17h0123456789abcdefE"
            + " | core::ptr::drop_in_place<std::rt::lang_start<()>::{{closure}}>",
        "_RNvNtCs1234_7mycrate3foo3bar | mycrate::foo::bar",
        "malloc | malloc",
        "_Z | _Z",
        "_ZN | _ZN",
        "_R | _R",
        "Java_Foo_bar | Java_Foo_bar"
      })
  void shortNames(String mangled, String expected) {
    assertEquals(expected, Demangler.shortName(mangled));
  }

  /** Names by rustc of both schemes; c++filt shows hashes and the types of constants, too. */
  @Test
  void rust() throws Exception {
    List<String> names =
        List.of(
            "_ZN3std2io5stdio6_print17h0f9e8d7c6b5a4321E",
            "_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0f9e8d7c6b5a4321E",
            "_ZN4core3ops8function6FnOnce40call_once$u7b$$u7b$vtable.shim$u7d$$u7d$17h0f9e8d7c6b5a4321E",
            "_RNvC6_123foo3bar",
            "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
            "_RINvNtC3std3mem8align_ofdE",
            "_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_",
            "_RNCINkXs25_NgCsbmNqQUJIY6D_4core5sliceINyB9_4IterhENuNgNoBb_4iter8iterator8Iterator9"
                + "rpositionNCNgNpB9_6memchr7memrchrs_0E0Bb_",
            "_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std",
            "_RMC0INtC8arrayvec8ArrayVechKj7b_E",
            "_RMCs4fqI2P2rA04_13const_genericINtB0_8UnsignedKhb_E",
            "_RMCs4fqI2P2rA04_13const_genericINtB0_6SignedKanb_E",
            "_RMCs4fqI2P2rA04_13const_genericINtB0_4BoolKb1_E",
            "_RMCs4fqI2P2rA04_13const_genericINtB0_4CharKc76_E",
            "_RIC0KEG_Rp_E",
            "_RYFG_FKCRL0_hEuNtC1a1b");
    List<String> expected = cppfilt(names);
    for (int i = 0; i < names.size(); i++) {
      String text =
          expected
              .get(i)
              .replaceAll("(?<=\\w)\\[[0-9a-f]+\\]|::h[0-9a-f]{16}$", "")
              .replaceAll(": (usize|u8|i8|bool|char)(?=[>,])", "");
      assertEquals(text, Demangler.shortName(names.get(i)), names.get(i));
    }
  }

  /** Broken names end at once, and as they came, or as something c++filt's grammar allows. */
  @ParameterizedTest
  @MethodSource("libraries")
  void brokenNames(Path library) throws Exception {
    checkBroken(library, 3_000);
  }

  static void checkBroken(Path library, int count) throws Exception {
    Random random = new Random(7);
    List<String> names = new ArrayList<>(functionNames(library));
    String letters = "NSTIEZKPROCFLXJDMUABtdnv_0123456789.$acipsz";
    long slowest = 0;
    for (int i = 0; i < count; i++) {
      StringBuilder name = new StringBuilder(names.get(random.nextInt(names.size())));
      for (int n = random.nextInt(3); n >= 0; n--) {
        int where = random.nextInt(name.length());
        switch (random.nextInt(3)) {
          case 0 -> name.setCharAt(where, letters.charAt(random.nextInt(letters.length())));
          case 1 -> name.insert(where, letters.charAt(random.nextInt(letters.length())));
          default -> name.setLength(where + 1);
        }
      }
      long start = cpuNanos();
      Demangler.shortName(name.toString());
      slowest = Math.max(slowest, cpuNanos() - start);
    }
    assertTrue(slowest < MAX_NANOS, slowest + " ns");
  }

  @ParameterizedTest
  @MethodSource("bombs")
  void namesMadeToExplodeComeBackUnchanged(String bomb) {
    long start = cpuNanos();
    assertEquals(bomb, Demangler.shortName(bomb));
    assertTrue(cpuNanos() - start < MAX_NANOS);
  }

  /** Of this thread: how long it waits for a CPU says nothing of the name. */
  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  static List<String> bombs() {
    StringBuilder doubling = new StringBuilder("_Z1fIPFvPvE");
    for (int i = 0; i < 18; i++) {
      String last = "S" + Integer.toString(2 * i + 1, 36).toUpperCase(Locale.ROOT) + "_";
      doubling.append("PFv").append(last).append(last).append("E");
    }
    StringBuilder rust = new StringBuilder("_RIC1a");
    rust.append("TuuE");
    for (int i = 0; i < 60; i++) {
      String back = i == 0 ? "B3_" : "B" + base62(9 + (i - 1) * 8 - 1 + 1) + "_";
      rust.append("T").append(back).append(back).append("E");
    }
    return List.of(
        doubling.append("Evv").toString(),
        rust.append("E").toString(),
        "_Z1fI" + "P".repeat(10_000) + "iEvv",
        "_Z1fI" + "1aI".repeat(5_000),
        "_ZN" + "1a".repeat(100_000) + "Ev");
  }

  private static String base62(int value) {
    return Integer.toString(value, 36);
  }
}
