package stackweave.engine.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.engine.probe.AllocationProgram.Place;
import stackweave.engine.probe.AllocatorFunctions.Function;
import stackweave.engine.probe.AllocatorFunctions.Probe;
import stackweave.jfr.process.SampledProcess;
import stackweave.tableless.x86.FunctionExits;
import stackweave.testing.Commands;

/** Where functions of this machine's C library return, compared with objdump. */
class AllocatorFunctionsTest {
  private static final Pattern SYMBOL = Pattern.compile("([0-9a-f]+) ([0-9a-f]+) [TWti] (\\w+)@.*");
  private static final Pattern LINE =
      Pattern.compile(" *([0-9a-f]+):\\t(?:repz |bnd )?(ret|jmp|syscall) *([0-9a-f]+)?.*");

  @ParameterizedTest
  @ValueSource(strings = {"malloc", "calloc", "realloc", "free", "mremap", "memalign"})
  void exitsAreThoseThatObjdumpSees(String name) throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "x86-64 alone");
    assumeTrue(Commands.exist("objdump") && Commands.exist("nm"), "no binutils");
    LibcFunctions libc = LibcFunctions.of(SampledProcess.OWN);
    LibcFunctions.Function function = libc.find(name);
    long[] symbol = symbol(libc.path(), name);
    assertEquals(symbol[1], function.code().length);
    List<FunctionExits.Exit> seen = new ArrayList<>();
    int behindCall = -1;
    String text =
        Commands.output(
            "objdump",
            "-d",
            "--no-show-raw-insn",
            "--start-address=" + symbol[0],
            "--stop-address=" + (symbol[0] + symbol[1]),
            libc.path());
    for (String line : text.lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (!matcher.matches()) {
        continue;
      }
      int offset = (int) (Long.parseLong(matcher.group(1), 16) - symbol[0]);
      switch (matcher.group(2)) {
        case "ret" -> seen.add(new FunctionExits.Exit(offset, FunctionExits.RETURN));
        case "jmp" -> {
          long target = Long.parseLong(matcher.group(3), 16) - symbol[0];
          if (target < 0 || target >= symbol[1]) {
            seen.add(new FunctionExits.Exit(offset, (int) target));
          }
        }
        default -> behindCall = offset + 2;
      }
    }
    assertEquals(seen, FunctionExits.of(function.code()));
    assertFalse(seen.isEmpty());
    assertEquals(behindCall, FunctionExits.behindSystemCall(function.code()));
  }

  @Test
  void eachFunctionHasPlacesWhereItBeginsAndEnds() throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "x86-64 alone");
    List<Probe> probes = AllocatorFunctions.find(SampledProcess.OWN).probes();
    for (Function function : Function.values()) {
      List<Probe> own = probes.stream().filter(probe -> probe.function() == function).toList();
      assertEquals(1, own.stream().filter(Probe::isEntry).count(), function.name());
      boolean isFree = function == Function.FREE;
      assertEquals(
          isFree ? 1 : own.size() - 1, own.stream().filter(p -> p.isEntry() == isFree).count());
      assertEquals(
          isFree || function == Function.REALLOC,
          own.stream().anyMatch(probe -> probe.place() == Place.FREE));
    }
    assertTrue(probes.size() <= AllocationProgram.MAX_PLACES, probes.size() + " places");
  }

  private static long[] symbol(String path, String name) throws Exception {
    for (String line : Commands.output("nm", "-D", "--defined-only", "-S", path).lines().toList()) {
      Matcher matcher = SYMBOL.matcher(line);
      if (matcher.matches() && matcher.group(3).equals(name)) {
        return new long[] {
          Long.parseLong(matcher.group(1), 16), Long.parseLong(matcher.group(2), 16)
        };
      }
    }
    throw new AssertionError("no symbol " + name);
  }
}
