package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.samples.stream.Streaming;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** The example of a stream, in the program itself. */
class StreamingIT {
  static final String SECONDS = "300";
  private static final Pattern FUNCTION = Pattern.compile("\\d %  ZSTD_\\w+.* \\[libzstd-jni.*]");

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void inTheProgram(Jdk jdk) throws Exception {
    RunningCommand program =
        Jvms.ofSamples(jdk).agent().start(Streaming.class.getName(), SECONDS, "1");
    try {
      awaitFunctions(program);
    } finally {
      program.kill();
    }
  }

  /** Waits until it has printed a native function that the program spends its time in. */
  static void awaitFunctions(RunningCommand command) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(4);
    String out = "";
    while (!FUNCTION.matcher(out).find()) {
      out = Files.readString(command.out());
      assertTrue(
          command.process().isAlive() && System.nanoTime() < end,
          out + Files.readString(command.err()));
      Thread.sleep(50);
    }
    assertEquals(-1, out.indexOf("can't be read"), out);
  }
}
