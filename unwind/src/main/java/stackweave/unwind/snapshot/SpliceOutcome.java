package stackweave.unwind.snapshot;

/** The outcome of the attempt to read the older part of a stack. */
public enum SpliceOutcome {
  /** The walk never asked for anything above the copy. */
  NOT_NEEDED("not needed"),
  /** All that the walk asked for was copied at the interrupt, too. */
  COPIED("copied with the sample"),
  /** The older part fits; what was asked of it was answered. */
  TAKEN("taken"),
  /** A return address, saved frame pointer or other word that the walk relied on has changed. */
  LINKS_DIFFER("frame links at the seam changed"),
  /** The frame links are the same, and other words of the frames at the seam are not. */
  FRAMES_DIFFER("frames at the seam changed"),
  /** The seam was as in the copy before the read, and no longer after it. */
  CHANGED_MEANWHILE("changed while being read"),
  /** The thread is known to have returned from the frames at the seam. */
  RETURNED("thread has returned"),
  /** The live stack can't be read. */
  UNREADABLE("unreadable"),
  /** The walk read no frame link in the copy: there is nothing to compare. */
  NO_SEAM("no frame link in the copy"),
  /** What was read does not lead to the thread's first frame, or not without guessing. */
  NO_ROOT("does not lead to the first frame"),
  /** It fits, but may belong to another call: its frames are marked as guesses. */
  GUESSED("taken as a guess");

  private final String label;

  SpliceOutcome(String label) {
    this.label = label;
  }

  /** A short text for users. */
  public String label() {
    return label;
  }
}
