package stackweave.lab.chaos.work;

import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.Recording;

/** Recordings that an antagonist starts and stops itself. */
public final class OwnRecordings {
  private static final String SAMPLE = "stackweave.NativeSample";

  private OwnRecordings() {}

  /**
   * Starts a recording of samples; without agent, of hardly anything.
   *
   * @param interval between two samples
   */
  public static Recording start(Time time, String interval) {
    Recording recording = new Recording();
    if (time.engine().isEmpty()) {
      recording.enable("jdk.CPULoad");
    } else {
      recording.enable(SAMPLE).with("interval", interval).with("engine", time.engine());
      recording.enable("stackweave.SamplerStatus");
    }
    recording.start();
    return recording;
  }

  /** As {@link #start}, and returns when samples are being taken. */
  public static Recording startAndWait(Time time, String interval)
      throws IOException, InterruptedException {
    Recording recording = start(time, interval);
    if (!time.engine().isEmpty()) {
      Tasks.awaitSampling();
    }
    return recording;
  }

  /** Ends a recording without a file. */
  public static void discard(Recording recording) {
    recording.stop();
    recording.close();
  }

  /** Ends a recording and writes its file. */
  public static void keep(Recording recording, Time time, long number) throws IOException {
    Path file = time.directory().resolve("recording-" + number + ".jfr");
    recording.setDestination(file);
    recording.stop();
    recording.close();
  }
}
