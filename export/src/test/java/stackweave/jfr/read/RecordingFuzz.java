package stackweave.jfr.read;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import stackweave.jfr.export.Export;
import stackweave.jfr.export.ExportedStacks;
import stackweave.jfr.export.FirefoxExport;
import stackweave.jfr.export.PprofExport;
import stackweave.jfr.export.Selection;
import stackweave.jfr.export.SpeedscopeExport;
import stackweave.jfr.export.otlp.OtlpExport;

/** What Jazzer runs on bytes as a recording. */
public final class RecordingFuzz {
  private static final Path FILE;

  static {
    try {
      FILE = Files.createTempFile("stackweave-fuzz", ".jfr");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    FILE.toFile().deleteOnExit();
  }

  private static final List<Export<? super SampledRecording>> EXPORTS =
      List.of(
          ExportedStacks.collapsed(true),
          new PprofExport(Selection.ALL),
          new OtlpExport("fuzz", Selection.ALL),
          new SpeedscopeExport("fuzz", Selection.ALL),
          new FirefoxExport("fuzz", Selection.ALL));

  private RecordingFuzz() {}

  /** Everything that is made of a recording. */
  public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
    Files.write(FILE, bytes);
    try {
      SampledRecording recording = SampledRecording.open(FILE);
      long[] samples = new long[3];
      recording.forEachSample(sample -> samples[0]++);
      recording.warnings();
      recording.forEachStack((thread, end, stack, count, weight) -> samples[1] += count);
      recording.forEachCellSum(Duration.ofMinutes(1), 1, (start, sum) -> samples[2] += sum.count());
      if (Arrays.stream(samples).anyMatch(each -> each != recording.samples())) {
        throw new AssertionError(
            recording.samples()
                + " samples, but one by one, by stack, and by minute "
                + Arrays.toString(samples));
      }
      for (Export<? super SampledRecording> export : EXPORTS) {
        export.write(recording, OutputStream.nullOutputStream());
      }
    } catch (RecordingException e) {
      if (!e.getMessage().startsWith(FILE.toString()) || e.getMessage().contains("\n")) {
        throw new AssertionError("not a line for people: " + e.getMessage(), e);
      }
    }
  }
}
