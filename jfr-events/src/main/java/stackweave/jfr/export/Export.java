package stackweave.jfr.export;

import java.io.IOException;
import java.io.OutputStream;
import stackweave.jfr.read.SampledRecording;

/**
 * Makes one thing of a recording. What it should be like is said to the constructor; it can be made
 * of several recordings, one after the other.
 */
public interface Export {
  /**
   * Writes what is made of {@code recording}.
   *
   * @param out stays open; what was written is flushed
   * @throws IOException if {@code out} does
   */
  void write(SampledRecording recording, OutputStream out) throws IOException;
}
