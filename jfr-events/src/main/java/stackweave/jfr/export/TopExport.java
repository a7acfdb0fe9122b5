package stackweave.jfr.export;

import java.io.IOException;
import stackweave.jfr.read.SampledRecording;

/**
 * Tables for a terminal of the functions, libraries and threads with the most samples: their shares
 * of the CPU time, or the wall-clock time, that the samples stand for, or of the samples.
 */
public final class TopExport extends TextExport {

  /** The columns of a terminal of unknown width. */
  public static final int USUAL_WIDTH = 80;

  /** The fewest columns of a readable table. */
  public static final int MIN_WIDTH = 40;

  /**
   * The options of the tables.
   *
   * @param rows most rows of each table; 0 for 20 functions, 10 libraries and 10 threads
   * @param byTotal whether rows are sorted by their total instead of their own share
   * @param bySamples whether shares are of the samples instead of the CPU time; of wall-clock time
   *     they never are
   * @param width most columns of a line, at least {@link #MIN_WIDTH}
   */
  public record Options(int rows, boolean byTotal, boolean bySamples, int width) {
    /**
     * @throws IllegalArgumentException if rows are negative or width is below {@link #MIN_WIDTH}
     */
    public Options {
      if (rows < 0 || width < MIN_WIDTH) {
        throw new IllegalArgumentException(rows + " rows, " + width + " columns");
      }
    }
  }

  private final String title;
  private final Options options;

  /**
   * @param title the heading of the tables, such as the recording's file name
   */
  public TopExport(String title, Options options) {
    this.title = title;
    this.options = options;
  }

  @Override
  void writeText(SampledRecording recording, Appendable out) throws IOException {
    new TopTables(recording, title, options, out).write();
  }
}
