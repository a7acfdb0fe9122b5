package stackweave.verify.zoo;

/**
 * How a frame was found from its callee, as the recording says by a label of its legend. A label
 * that is not known here counts as a guess, so that nothing is taken for certain by mistake.
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

  /** Unwind tables, and what recordings without the field have. */
  static final Found TABLES = new Found("unwind tables", Trust.SURE);

  static Found of(String label) {
    return switch (label) {
      case "unwind tables" -> TABLES;
      case "straight to ret",
          "forward to ret",
          "forward over calls",
          "from function start",
          "frame pointer" ->
          new Found(label, Trust.SURE);
      case "after missing frames" -> new Found(label, Trust.GAP);
      default -> new Found(label, Trust.GUESS);
    };
  }
}
