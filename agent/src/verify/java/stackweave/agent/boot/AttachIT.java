package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Waits;

/** The command line on running JVMs: attach, record, status, detach, and whatever can be wrong. */
@Order(4)
class AttachIT extends AttachedProgram {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void attachesOnceAndDetachesWithoutATrace(Jvm jvm) throws Exception {
    attachAndDetach(jvm, 1);
  }

  @Test
  void recordsInAContainerOfAnotherUser() throws Exception {
    recordInContainer(Container.publicJvms().findFirst().orElseThrow());
  }

  /** The JDK can't list its properties there, which are asked for only where an agent may be. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void withoutItsWorkingDirectoryItIsLookedAt(Jvm jvm) throws Exception {
    Path gone = Files.createDirectory(directory.resolve("gone"));
    List<String> arguments = List.of("-cp", Jars.apps().toString(), Waits.class.getName());
    Process process = jvm.start(gone, arguments).start();
    started.add(process);
    assertEquals("running", process.inputReader().readLine());
    Files.delete(gone);
    assertFailed(command("status", process.pid()), "no Stackweave agent in process \\d+: .*");
  }
}
