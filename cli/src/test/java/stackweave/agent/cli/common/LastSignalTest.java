package stackweave.agent.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import stackweave.agent.cli.process.ProcessStatus;

/** A command that completes what it has never, as with a JVM that does not answer. */
class LastSignalTest {
  private static final int SIGTERM = 15;

  /** The command. */
  static final class Endless {
    private Endless() {}

    public static void main(String[] arguments) throws Exception {
      CountDownLatch never = new CountDownLatch(1);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> LastSignal.await(never)));
      System.out.println("ready");
      never.await();
    }
  }

  @Test
  void theSecondOneEndsTheCommand() throws Exception {
    Process command =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Endless.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertEquals("ready", command.inputReader().readLine());
      assertTrue(handlesTerm(command));
      command.destroy();
      while (handlesTerm(command)) {
        Thread.sleep(50);
      }
      command.destroy();
      assertTrue(command.waitFor(1, TimeUnit.MINUTES), "it does not end");
      assertEquals(128 + SIGTERM, command.exitValue());
    } finally {
      command.destroyForcibly();
    }
  }

  private static boolean handlesTerm(Process command) throws Exception {
    assertTrue(command.isAlive());
    ProcessStatus status = ProcessStatus.of(Path.of("/proc/" + command.pid()));
    return (Long.parseUnsignedLong(status.fields().get("SigCgt"), 16) >> SIGTERM - 1 & 1) != 0;
  }
}
