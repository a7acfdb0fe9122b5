package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.lab.Built;
import stackweave.lab.zoo.TrueCalls;
import stackweave.lab.zoo.TrueCalls.Place;
import stackweave.lab.zoo.TrueCalls.Sample;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;

/** The program that follows threads to their returns, on a program whose calls are known. */
class StepperIT {
  private static final Pattern FUNCTION =
      Pattern.compile("^([0-9a-f]+) [0-9a-f]+ T (\\w+)$", Pattern.MULTILINE);

  /** Each function and its only caller. */
  private static final Map<String, String> CALLERS =
      Map.of("leaf", "middle", "middle", "outer", "outer", "main");

  /** The exit code where the machine can't do what it needs. */
  private static final int NO_BREAKPOINTS = 3;

  @TempDir Path directory;

  @Test
  void returnsAreThoseOfTheKnownChain() throws IOException, InterruptedException {
    Path yama = Path.of("/proc/sys/kernel/yama/ptrace_scope");
    assumeTrue(
        System.getProperty("user.name").equals("root")
            || !Files.exists(yama)
            || Files.readString(yama).strip().equals("0"),
        "may not trace another process");
    Path program = Gcc.compile(directory, "stepped.c", "stepped", "-no-pie");
    Process process = new ProcessBuilder(program.toString()).start();
    Path out = directory.resolve("calls");
    try {
      assertEquals('s', process.getInputStream().read());
      Process stepper =
          new ProcessBuilder(
                  Built.nativeFile("stepper").toString(),
                  "" + process.pid(),
                  "stepped",
                  "20",
                  "2",
                  "0",
                  "0")
              .redirectOutput(out.toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      int exit = stepper.waitFor();
      assumeTrue(exit != NO_BREAKPOINTS, "hardware breakpoints are never hit on this machine");
      assertEquals(0, exit);
      assertTrue(process.isAlive(), "the traced program ended");
    } finally {
      process.destroy();
    }
    List<Sample> samples = TrueCalls.read(out);
    assertFalse(samples.isEmpty());
    TreeMap<Long, String> functions = functions(program);
    boolean seen = false;
    for (Sample sample : samples) {
      String inner = function(functions, sample.pc());
      for (Place place : sample.returns()) {
        String outer = function(functions, place);
        if (CALLERS.containsKey(inner)) {
          assertEquals(CALLERS.get(inner), outer, sample::toString);
          seen |= inner.equals("leaf");
        }
        inner = outer;
      }
    }
    assertTrue(seen, samples::toString);
  }

  /** Addresses from the lowest one of the file on. */
  private static TreeMap<Long, String> functions(Path program)
      throws IOException, InterruptedException {
    TreeMap<Long, String> functions = new TreeMap<>();
    Matcher lines = FUNCTION.matcher(Commands.output("nm", "-S", program));
    while (lines.find()) {
      functions.put(Long.parseLong(lines.group(1), 16) & 0xFFFFF, lines.group(2));
    }
    return functions;
  }

  private static String function(TreeMap<Long, String> functions, Place place) {
    if (!place.module().equals("stepped")) {
      return place.module();
    }
    Map.Entry<Long, String> function = functions.floorEntry(place.offset());
    return function == null ? "" : function.getValue();
  }
}
