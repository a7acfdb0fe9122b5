package stackweave.jfr.read;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** A recording of the first version of the schema, made by the agent of that time: 50 samples. */
public final class FirstSchemaRecording {
  private FirstSchemaRecording() {}

  /** The recording, as a file in this directory. */
  public static Path in(Path directory) throws IOException {
    Path file = directory.resolve("schema1.jfr");
    try (GZIPInputStream in =
        new GZIPInputStream(
            FirstSchemaRecording.class.getResourceAsStream("/schemas/schema1.jfr.gz"))) {
      Files.copy(in, file);
    }
    return file;
  }
}
