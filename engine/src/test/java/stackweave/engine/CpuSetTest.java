package stackweave.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.jfr.process.SampledProcess;

class CpuSetTest {
  /** cpuset(7), "Formats"; what the kernel prints of an empty set, and where it has none at all. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | {0}",
        "0-2 | {0, 1, 2}",
        "1-3,5,62-64 | {1, 2, 3, 5, 62, 63, 64}",
        "4095 | {4095}",
        "'' | {}",
        "(null) | {}",
        "1-3,x,7 | {1, 2, 3, 7}",
        "99999999999 | {}"
      })
  void listsOfCpus(String list, String cpus) {
    assertEquals(cpus, CpuSet.parse(list).toString());
  }

  @Test
  void someAreLeftOut() {
    int[] cpus = {0, 2, 5, 64};
    assertArrayEquals(new int[] {0, 64}, CpuSet.without(CpuSet.parse("1-5"), cpus));
    assertArrayEquals(new int[0], CpuSet.without(CpuSet.parse("0-64"), cpus));
    assertArrayEquals(cpus, CpuSet.without(CpuSet.parse("(null)"), cpus));
  }

  /** The kernel says the same of this process in another way (proc_pid_status(5)). */
  @Test
  void theCpusOfThisProcessAreThoseThatTheKernelLists() throws IOException {
    String list =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("Cpus_allowed_list:"))
            .map(line -> line.split("\\s+")[1])
            .findFirst()
            .orElseThrow();
    BitSet allowed = CpuSet.parse(list);
    BitSet online =
        CpuSet.parse(Files.readString(Path.of("/sys/devices/system/cpu/online")).strip());
    allowed.and(online);
    assertEquals(allowed, CpuSet.present(SampledProcess.OWN));
    assertArrayEquals(allowed.stream().toArray(), CpuSet.ofProcess());
  }
}
