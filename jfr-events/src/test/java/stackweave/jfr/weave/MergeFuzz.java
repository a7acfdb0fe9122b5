package stackweave.jfr.weave;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;

/** What Jazzer runs on bytes as a recording that is merged. */
public final class MergeFuzz {
  private static final Path FILE;

  static {
    try {
      FILE = Files.createTempFile("stackweave-fuzz", ".jfr");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    FILE.toFile().deleteOnExit();
  }

  private MergeFuzz() {}

  /** Merges a recording in each way. */
  public static void fuzzerTestOneInput(byte[] bytes) throws IOException {
    Files.write(FILE, bytes);
    merge(MergeOptions.DEFAULT);
    merge(new MergeOptions(true, true, true, true));
    merge(new MergeOptions(false, false, true, false));
  }

  private static void merge(MergeOptions options) throws IOException {
    try {
      RecordingMerge merge = RecordingMerge.of(List.of(FILE), options, ReadingProgress.NONE);
      merge.losses();
      MergeReport report = merge.writeTo(OutputStream.nullOutputStream());
      if (!options.byWeight() && report.events() != report.samples()) {
        throw new AssertionError(report.toString());
      }
    } catch (RecordingException e) {
      if (!e.getMessage().startsWith(FILE.toString()) || e.getMessage().contains("\n")) {
        throw new AssertionError("not a line for people: " + e.getMessage(), e);
      }
    }
  }
}
