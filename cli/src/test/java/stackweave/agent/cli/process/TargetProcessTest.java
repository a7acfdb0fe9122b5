package stackweave.agent.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import stackweave.agent.cli.common.FailedException;

/** What is seen of a process before anything is sent to it. */
class TargetProcessTest {
  @Test
  void aThreadIsNoProcess() throws Exception {
    String pid = Long.toString(ProcessHandle.current().pid());
    String thread;
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      thread =
          threads
              .map(directory -> directory.getFileName().toString())
              .filter(id -> !id.equals(pid))
              .findFirst()
              .orElseThrow();
    }
    FailedException e =
        assertThrows(
            FailedException.class, () -> TargetProcess.open(Long.parseLong(thread)).close());
    assertEquals(thread + " is a thread of process " + pid + ": use " + pid, e.getMessage());
  }

  @Test
  void whatIsStoppedAnswersNothing() {
    assertEquals("", whyStopped(Map.of("State", "S (sleeping)")));
    assertEquals(
        "is stopped and can't answer: kill -CONT 7 lets it go on",
        whyStopped(Map.of("State", "T (stopped)", "Tgid", "7")));
    assertEquals(
        "is held by a debugger, the process 8, and can't answer: let it go on there",
        whyStopped(Map.of("State", "t (tracing stop)", "TracerPid", "8")));
  }

  private static String whyStopped(Map<String, String> status) {
    return new ProcessStatus(status).whyStopped();
  }
}
