package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.store.SampleWriter;
import stackweave.testing.Jdk;

/** A long recording is read by a JVM with little heap. */
@ResourceLock(Programs.OWN_JFR)
class LongRecordingIT {
  @TempDir private Path directory;

  /** Counts the samples of a recording, in a JVM with little heap. */
  public static final class Count {
    private Count() {}

    public static void main(String[] arguments) throws Exception {
      long[] counts = new long[2];
      SampledRecording.open(Path.of(arguments[0]))
          .forEachSample(
              sample -> {
                counts[0]++;
                counts[1] += sample.frames().size();
              });
      System.out.println("samples=" + counts[0]);
      System.out.println("frames=" + counts[1]);
    }
  }

  /** 60,000 samples of 70 frames each would be more than 100 MB. */
  @Test
  void samplesAreNotHeldInMemory() throws Exception {
    Path file = directory.resolve("long.jfr");
    int samples = 60_000;
    try (Recording recording = new Recording();
        SampleWriter writer = new SampleWriter()) {
      recording.start();
      writer.write(0, samples);
      recording.dump(file);
    }
    Jdk jdk = Jdk.in(Path.of(System.getProperty("java.home")));
    Programs.Outcome outcome =
        Programs.java(jdk, List.of("-Xmx32m"), Count.class, List.of(file.toString()));
    assertEquals(0, outcome.exit(), outcome.output());
    assertEquals(samples, outcome.number("samples"));
    assertTrue(outcome.number("frames") > 60L * samples, outcome.output());
  }
}
