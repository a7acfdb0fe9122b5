package stackweave.jfr.read;

/** Is told how far the reading of a recording is; several times a second at least. */
@FunctionalInterface
public interface ReadingProgress {
  /** Tells nobody. */
  ReadingProgress NONE = (bytes, ofBytes, samples) -> {};

  /**
   * So much has been read.
   *
   * @param bytes of the file
   * @param ofBytes all its bytes that can be read; 1 or more
   * @param samples so far
   */
  void read(long bytes, long ofBytes, long samples);
}
