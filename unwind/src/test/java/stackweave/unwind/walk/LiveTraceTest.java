package stackweave.unwind.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.Elf;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/** At every executed instruction of real programs, the return addresses are the true ones. */
class LiveTraceTest {
  private static final int MAX_DEPTH = 100;

  static Stream<Arguments> cases() {
    List<Arguments> cases = new ArrayList<>();
    for (Path directory : Corpus.list("live", "*")) {
      for (String version : List.of("v1", "v2", "v2e", "v3")) {
        if (Files.exists(directory.resolve("prog-" + version + ".elf"))) {
          cases.add(Arguments.of(directory, version, "sframe"));
        }
      }
      cases.add(Arguments.of(directory, "v3", "eh_frame"));
      cases.add(Arguments.of(directory, "v2e", "both"));
    }
    return cases.stream();
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("cases")
  void returnAddressesAreTheTruth(Path directory, String version, String source)
      throws IOException {
    Elf program = Elf.read(directory.resolve("prog-" + version + ".elf"));
    Path libraryFile = directory.resolve("lib-" + version + ".so");
    Elf library = Files.exists(libraryFile) ? Elf.read(libraryFile) : null;
    Function<Elf, UnwindSections> sections =
        switch (source) {
          case "eh_frame" -> Elf::ehFrameOnly;
          case "sframe" -> Elf::sframeOnly;
          default -> Elf::unwindSections;
        };
    NativeUnwinder unwinder = new NativeUnwinder(new RuleTable(program.architecture));
    // Where V2e has no rows, .eh_frame has: then only what V3 gets wrong may be wrong.
    Set<Integer> knownFailures = knownFailures(directory, source.equals("sframe") ? version : "v3");
    List<String> wrong = new ArrayList<>();
    int failures = 0;
    int records = 0;
    Modules modules = new Modules();
    try (LiveTrace trace = new LiveTrace(directory, program.architecture)) {
      modules.add(program, sections.apply(program), 0, unwinder.rules());
      trace.addImage(program, 0);
      boolean libraryKnown = false;
      while (trace.next()) {
        if (!libraryKnown && trace.libraryAddress() != 0) {
          modules.add(library, sections.apply(library), trace.libraryAddress(), unwinder.rules());
          trace.addImage(library, trace.libraryAddress());
          libraryKnown = true;
        }
        records++;
        List<String> found = unwind(trace, unwinder, modules);
        if (version.equals("v2e")
            && source.equals("sframe")
            && found.get(found.size() - 1).equals("NO_RULE")) {
          // Before V3, assemblers leave out functions whose return address is undefined.
          found.set(found.size() - 1, "0");
        }
        if (version.equals("v1") || version.equals("v2")) {
          // Older ones write rows for them as if there were a caller: only the end is wrong.
          int known = trace.truth().size() - 1;
          if (found.size() > known && trace.truth().get(known).equals("0")) {
            found.subList(known, found.size()).clear();
            found.add("0");
          }
        }
        if (!found.equals(trace.truth())) {
          failures++;
          if (!knownFailures.contains(trace.record())) {
            wrong.add(
                trace.record()
                    + " at "
                    + Long.toHexString(trace.current().pc())
                    + ": "
                    + found
                    + ", true are "
                    + trace.truth());
          }
        }
      }
    }
    assertEquals(List.of(), wrong.stream().limit(5).toList());
    assertTrue(failures <= knownFailures.size(), failures + " failures");
    assertEquals(announcedRecords(directory, version), records);
    if (source.equals("both")) {
      assertTrue(modules.fallbackCount() > 0, "no fallback to .eh_frame");
    }
  }

  /** The number of records as the list of known failures states it in its first line. */
  private static int announcedRecords(Path directory, String version) throws IOException {
    String first = Files.readAllLines(directory.resolve("known-fail-" + version + ".tsv")).get(0);
    Matcher matcher = Pattern.compile(".*'n': (\\d+),.*").matcher(first);
    assertTrue(matcher.matches(), first);
    return Integer.parseInt(matcher.group(1));
  }

  private static Set<Integer> knownFailures(Path directory, String version) throws IOException {
    Set<Integer> records = new HashSet<>();
    for (String line : Files.readAllLines(directory.resolve("known-fail-" + version + ".tsv"))) {
      if (!line.startsWith("#")) {
        records.add(Integer.parseInt(line.substring(0, line.indexOf('\t'))));
      }
    }
    return records;
  }

  private static List<String> unwind(
      LiveTrace trace, NativeUnwinder unwinder, CodeModules modules) {
    Registers registers = new Registers(trace.current().architecture());
    registers.copyFrom(trace.current());
    List<String> chain = new ArrayList<>();
    StopReason stop =
        unwinder.walk(
            registers,
            trace,
            modules,
            MAX_DEPTH,
            (frame, interrupted) ->
                chain.add((interrupted ? "S:" : "") + Long.toHexString(frame.pc())));
    chain.remove(0); // the truth begins with the caller
    chain.add(stop == StopReason.COMPLETE ? "0" : String.valueOf(stop));
    return chain;
  }

  /** The program and its library, as ranges of their executable sections. */
  static final class Modules implements CodeModules {
    private record Module(long start, long end, long bias, UnwindTable unwindTable)
        implements CodeModule {}

    private final List<Module> modules = new ArrayList<>();

    void add(Elf elf, UnwindSections sections, long bias, RuleTable rules) {
      long start = Long.MAX_VALUE;
      long end = 0;
      for (Elf.Header header : elf.sections) {
        if ((header.flags() & 4) != 0) {
          start = Math.min(start, header.address());
          end = Math.max(end, header.address() + header.size());
        }
      }
      modules.add(new Module(start + bias, end + bias, bias, UnwindTables.open(sections, rules)));
    }

    long fallbackCount() {
      return modules.stream().mapToLong(module -> module.unwindTable().fallbackCount()).sum();
    }

    @Override
    public int generation() {
      return modules.size();
    }

    @Override
    public CodeModule find(long pc) {
      for (Module module : modules) {
        if (pc >= module.start() && pc < module.end()) {
          return module;
        }
      }
      return null;
    }
  }
}
