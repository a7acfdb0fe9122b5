package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a record of sched_waking has what is used, by the formats of kernels. */
class WakeTracepointTest {
  private static final String COMMON =
      """
      name: sched_waking
      ID: 375
      format:
      \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
      \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
      \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
      \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

      """;

  /** Linux 6.18, and 4.19, which has a field more. */
  private static final String NEW =
      """
      \tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;
      \tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;
      \tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;
      \tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;
      """;

  private static final String OLD =
      NEW.replace("offset:32", "offset:36")
          + "\tfield:int success;\toffset:32;\tsize:4;\tsigned:1;\n";

  @TempDir private Path directory;

  private WakeTracepoint read(String id, String format) throws Exception {
    Files.writeString(directory.resolve("id"), id);
    Files.writeString(directory.resolve("format"), format);
    return WakeTracepoint.read(directory.toFile());
  }

  @Test
  void fieldsAreFound() throws Exception {
    assertEquals(new WakeTracepoint(375, 2, 24), read("375\n", COMMON + NEW));
    assertEquals(new WakeTracepoint(12, 2, 24), read("12\n", COMMON + OLD));
  }

  @Test
  void whatIsMissingOrElsewhereIsSaid() {
    assertMissing("375", COMMON);
    assertMissing("375", NEW);
    assertMissing("375", COMMON + NEW.replace("offset:24", "offset:26"));
    assertMissing("375", COMMON + NEW.replace("offset:24", "offset:4096"));
    assertMissing(
        "375",
        COMMON + NEW.replace("pid_t pid;\toffset:24;\tsize:4", "u64 pid;\toffset:24;\tsize:8"));
    assertMissing("many", COMMON + NEW);
  }

  private void assertMissing(String id, String format) {
    assertThrows(IOException.class, () -> read(id, format));
  }

  @Test
  void aDirectoryThatCanNotBeReadIsSaid() throws IOException {
    IOException missing =
        assertThrows(IOException.class, () -> WakeTracepoint.read(directory.toFile()));
    assertEquals("sched_waking can't be read", missing.getMessage().split(":")[0]);
  }
}
