package stackweave.testing;

import java.nio.file.Path;
import java.util.List;

/**
 * What a process that has ended leaves.
 *
 * @param what its command, and where it ran
 * @param exit its exit status; 128 and the signal's number for one that was killed
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 * @param recording where its JFR recording is, if {@link ForkedJvm#recording} asked for one; or
 *     null
 */
public record Ended(String what, int exit, String out, String err, Path recording) {

  /**
   * This, if it ended as it should.
   *
   * @throws AssertionError with all that it said if it did not
   */
  public Ended successfully() {
    if (exit != 0) {
      throw new AssertionError(what + " ended with " + exit + "\n" + out + err);
    }
    return this;
  }

  /** The same, but for what it said. */
  public Ended saying(String otherOut, String otherErr) {
    return new Ended(what, exit, otherOut, otherErr, recording);
  }

  /** The lines of its standard output. */
  public List<String> outLines() {
    return out.lines().toList();
  }

  /** The lines of its standard error. */
  public List<String> errLines() {
    return err.lines().toList();
  }
}
