package stackweave.lab.zoo;

/**
 * How a frame was found from its callee, as the recording says by a label of its legend.
 *
 * @param label of the legend
 * @param trust what the label promises
 */
record Found(String label, Trust trust) {

  /** What a way of finding promises. */
  enum Trust {
    /** Not marked: the frame must be right. */
    SURE,
    /** Marked: the frame may be wrong. */
    GUESS,
    /** Marked: frames between it and its callee are missing. */
    GAP
  }

  /** The label of frames outside of those that are missing. */
  private static final String AFTER_GAP = "after missing frames";

  /** Unwind tables, and what recordings without the field have. */
  static final Found TABLES = new Found("unwind tables", Trust.SURE);

  /**
   * A way of a recording's legend.
   *
   * @param isGuess whether the recording says that it can lead to a wrong frame
   */
  static Found of(String label, boolean isGuess) {
    if (label.equals(AFTER_GAP)) {
      return new Found(label, Trust.GAP);
    }
    return new Found(label, isGuess ? Trust.GUESS : Trust.SURE);
  }
}
