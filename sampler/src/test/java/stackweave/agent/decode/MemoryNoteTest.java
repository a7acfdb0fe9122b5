package stackweave.agent.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.linux.ProcessMemory;

/** What is said of a process that can't read its own memory, and for how long. */
class MemoryNoteTest {
  @Test
  void isThereWhileTheMemoryIsNot(@TempDir Path directory) throws Exception {
    long[] now = {0};
    Path file = directory.resolve("mem");
    try (ProcessMemory memory =
        new ProcessMemory(ProcessMemory.Way.PROC_SELF_MEM, file.toString(), () -> now[0])) {
      String note = ProcessView.memoryNote(memory);
      assertTrue(note.contains("[ENOENT]"), note);
      assertFalse(note.contains("\n"), note);
      Files.createSymbolicLink(file, Path.of("/proc/self/mem"));
      now[0] += 1_000_000_000L;
      assertEquals("", ProcessView.memoryNote(memory));
      assertEquals(ProcessMemory.Way.PROC_SELF_MEM, memory.way());
    }
  }
}
