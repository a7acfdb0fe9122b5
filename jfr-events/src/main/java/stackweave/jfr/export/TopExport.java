package stackweave.jfr.export;

import java.io.IOException;
import stackweave.jfr.read.SampledRecording;

/**
 * The functions, libraries and threads that a recording's samples were met in most, as tables of
 * text for a terminal: their shares of the CPU time that the samples stand for, or of the samples.
 */
public final class TopExport extends TextExport {

  /** The columns of a terminal of which nothing is known. */
  public static final int USUAL_WIDTH = 80;

  /** Narrower tables can't be read. */
  public static final int MIN_WIDTH = 40;

  /**
   * How the tables look.
   *
   * @param rows most rows of each table; 0 for 20 functions, 10 libraries and 10 threads
   * @param byTotal whether rows are in the order of their total, not of their own share
   * @param bySamples whether shares are those of the samples, not of the CPU time
   * @param width most columns of a line, at least {@link #MIN_WIDTH}
   */
  public record Options(int rows, boolean byTotal, boolean bySamples, int width) {
    /**
     * @throws IllegalArgumentException if rows or width are less than they may be
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
   * @param title what stands above the tables, such as the recording's file name
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
