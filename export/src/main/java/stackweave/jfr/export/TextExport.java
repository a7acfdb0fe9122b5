package stackweave.jfr.export;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** An export that is text, in UTF-8. */
public abstract class TextExport implements Export {

  @Override
  public final void write(SampledRecording recording, OutputStream out)
      throws IOException, RecordingException {
    // Not a PrintStream, which would swallow a write error.
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    writeText(recording, writer);
    writer.flush();
  }

  /** Writes the text to {@code out}, which the caller flushes. */
  public abstract void writeText(SampledRecording recording, Appendable out)
      throws IOException, RecordingException;
}
