package stackweave.jfr.export;

import java.io.IOException;
import java.io.OutputStream;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/**
 * An export of samples. Its options are constructor parameters; it can be applied to several
 * recordings or profiles, one after the other.
 *
 * @param <P> {@link SampledRecording} if it reads the recording's file again, else {@link Profile}
 */
public interface Export<P extends Profile> {
  /**
   * Writes the export of {@code profile}.
   *
   * @param out stays open; what was written is flushed
   * @throws IOException if {@code out} fails
   * @throws RecordingException if the recording can't be exported, such as because its file has
   *     changed; one line for users
   */
  void write(P profile, OutputStream out) throws IOException, RecordingException;
}
