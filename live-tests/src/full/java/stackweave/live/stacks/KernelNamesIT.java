package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.testing.Enough;
import stackweave.testing.EventsByTime;

/**
 * A seccomp filter's program is kernel code that no list names: its frames have no name, and not
 * that of the function which happens to lie below. Everything else in the kernel has the name that
 * /proc/kallsyms gives its address.
 */
class KernelNamesIT {
  private static final String FILTER = Native.program("long_filter").toString();
  private static final int MIN = 10;

  @Test
  void aFiltersProgramHasNoNameOfAnotherFunction() throws IOException {
    Map<String, Long> marks = new TreeMap<>();
    TreeMap<Long, List<String>> own = new TreeMap<>(Long::compareUnsigned);
    for (String line : Files.readAllLines(Path.of("/proc/kallsyms"))) {
      String[] fields = line.split("\\s+");
      if (fields.length == 3) {
        long address = Long.parseUnsignedLong(fields[0], 16);
        marks.put(fields[2], address);
        own.merge(
            address,
            List.of(fields[2]),
            (some, one) -> java.util.stream.Stream.of(some, one).flatMap(List::stream).toList());
      }
    }
    long textStart = marks.getOrDefault("_stext", 0L);
    long textEnd = marks.getOrDefault("_etext", 0L);
    assumeTrue(textStart != 0 && textEnd != 0, "the kernel hides its addresses");
    String jit = Files.readString(Path.of("/proc/sys/net/core/bpf_jit_enable")).strip();
    assumeTrue(!jit.equals("0"), "filters are interpreted");

    List<Stacks.Sample> inKernel = new ArrayList<>();
    Enough.until(() -> unnamed(inKernel) >= MIN, () -> inKernel.addAll(inKernel()));
    long unnamed = unnamed(inKernel);
    System.out.println(inKernel.size() + " samples in the kernel, " + unnamed + " without a name");
    for (Stacks.Sample sample : inKernel) {
      for (Stacks.Frame frame : sample.frames()) {
        if (!frame.kind().equals("kernel") || frame.name().isEmpty()) {
          continue;
        }
        long address = frame.symbolStart() + frame.offset();
        assertTrue(
            Long.compareUnsigned(address, textStart) >= 0
                && Long.compareUnsigned(address, textEnd) < 0,
            () -> frame.name() + " at 0x" + Long.toHexString(address) + " in\n" + sample);
        Long below = own.floorKey(address);
        assertEquals(below, frame.symbolStart(), sample::toString);
        assertTrue(own.get(below).contains(frame.name()), sample::toString);
      }
    }
    assertTrue(unnamed >= MIN, unnamed + " samples in the filter's program");
  }

  private static List<Stacks.Sample> inKernel() {
    Path recording =
        Jvms.withoutLibraries(Jdks.oldest())
            .under(FILTER)
            .agent("engine=perf-thread", "drain=100")
            .recording()
            .run("stackweave.live.stacks.SystemCallsApp", "1000")
            .successfully()
            .recording();
    List<String> engines =
        EventsByTime.statuses(recording).stream().map(event -> event.getString("engine")).toList();
    assumeTrue(
        engines.contains("perf-thread"), () -> "no engine that samples the kernel: " + engines);
    return Stacks.of(recording)
        .of(sample -> !sample.frames().isEmpty())
        .filter(sample -> sample.innermost().kind().equals("kernel"))
        .toList();
  }

  private static long unnamed(List<Stacks.Sample> samples) {
    return samples.stream().filter(sample -> sample.innermost().name().isEmpty()).count();
  }
}
