package stackweave.jfr.export;

import java.io.IOException;
import java.io.OutputStream;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * An export of a recording. Its options are constructor parameters; it can be applied to several
 * recordings, one after the other.
 */
public interface Export {
  /**
   * Writes the export of {@code recording}.
   *
   * @param out stays open; what was written is flushed
   * @throws IOException if {@code out} fails
   * @throws RecordingException if the recording can't be exported, such as because its file has
   *     changed; one line for users
   */
  void write(SampledRecording recording, OutputStream out) throws IOException, RecordingException;
}
