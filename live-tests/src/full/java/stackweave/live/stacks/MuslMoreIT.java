package stackweave.live.stacks;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import stackweave.live.support.Jvms;
import stackweave.live.support.Musl;
import stackweave.live.support.Stacks;
import stackweave.testing.ByChance;
import stackweave.testing.Commands;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** A JVM on musl, recorded from outside by a command on glibc, as a container by its node. */
@ByChance
class MuslMoreIT {
  private static final String LONG = "300";

  @Test
  void commandsOnGlibcRecordItFromOutside() throws Exception {
    Jdk jdk = Musl.jdk();
    ForkedJvm jvm = Jvms.hotWithoutLibraries(jdk);
    Path file = jvm.directory().resolve("outside.jfr");
    RunningCommand running = jvm.start(MuslIT.LAB, LONG);
    try {
      Thread.sleep(2_000);
      Commands.run(
              ForkedJvm.agentCommand(
                  "record", running.pid(), "-d", "6s", "--interval", "1ms", "-o", file))
          .successfully();
    } finally {
      running.kill();
    }
    MuslIT.check("perf", file, Stacks.of(file), jdk);
  }
}
