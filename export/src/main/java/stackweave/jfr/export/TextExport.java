package stackweave.jfr.export;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.RecordingException;

/**
 * An export that is text, in UTF-8.
 *
 * @param <P> what it is made of
 */
public abstract class TextExport<P extends Profile> implements Export<P> {

  @Override
  public final void write(P profile, OutputStream out) throws IOException, RecordingException {
    // Not a PrintStream, which would swallow a write error.
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    writeText(profile, writer);
    writer.flush();
  }

  /** Writes the text to {@code out}, which the caller flushes. */
  public abstract void writeText(P profile, Appendable out) throws IOException, RecordingException;
}
