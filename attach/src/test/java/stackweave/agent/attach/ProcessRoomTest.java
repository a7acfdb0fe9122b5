package stackweave.agent.attach;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** On lines as the kernel writes them (fs/proc/base.c, fs/proc/task_mmu.c). */
class ProcessRoomTest {
  private static final List<String> STATUS =
      List.of(
          "Name:\tjava", "VmPeak:\t 2000000 kB", "VmSize:\t 1048576 kB", "VmData:\t  204800 kB");

  private static List<String> limits(String file, String data, String addresses) {
    return List.of(
        "Limit                     Soft Limit           Hard Limit           Units     ",
        String.format("%-26s%-21s%-21sbytes", "Max file size", file, "unlimited"),
        String.format("%-26s%-21s%-21sbytes", "Max data size", data, "unlimited"),
        String.format("%-26s%-21s%-21sbytes", "Max address space", addresses, "unlimited"));
  }

  @Test
  void whatIsUnlimitedHasRoom() {
    assertNull(ProcessRoom.whyNot(limits("unlimited", "unlimited", "unlimited"), List.of(), 1));
    assertNull(ProcessRoom.whyNot(List.of(), List.of(), 1));
  }

  @Test
  void theSoftLimitLessWhatIsUsedCounts() {
    long used = 1L << 30;
    long needed = ProcessRoom.NEEDED_ADDRESSES;
    assertNull(
        ProcessRoom.whyNot(
            limits("unlimited", "unlimited", Long.toString(used + needed)), STATUS, 1));
    assertEquals(
        "the limit of address space (ulimit -v) leaves 511 MiB, and sampling needs 512; a higher"
            + " one helps",
        ProcessRoom.whyNot(
            limits("unlimited", "unlimited", Long.toString(used + needed - 1)), STATUS, 1));
    assertEquals(
        "the limit of private memory (ulimit -d) leaves 0 MiB, and sampling needs 128; a higher one"
            + " helps",
        ProcessRoom.whyNot(limits("unlimited", "4096", "unlimited"), STATUS, 1));
  }

  @Test
  void filesMustBeAllowedToGrow() {
    assertEquals(
        "files may grow to 400 KiB (ulimit -f), the JVM ends when JFR comes to that, and sampling"
            + " needs 64 MiB",
        ProcessRoom.whyNot(limits("409600", "unlimited", "unlimited"), List.of(), 1));
    assertNull(ProcessRoom.whyNot(limits("67108864", "unlimited", "unlimited"), List.of(), 1));
  }
}
