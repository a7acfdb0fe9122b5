package stackweave.fleet.ingest;

import java.util.HashMap;
import java.util.Map;

/**
 * The stacks of which a task has made rows: machines of a service have most of their stacks in
 * common, and rows of stacks are large. Of a recording that is rejected no rows count. Not
 * thread-safe.
 */
final class GivenStacks {
  /** Further ones get a row each time: some 40 MB. */
  private static final int MOST = 250_000;

  /** How many frames of a stack have names, by the stack's id. */
  private final Map<String, Integer> ofWholeRecordings = new HashMap<>();

  private final Map<String, Integer> ofRecording = new HashMap<>();

  /**
   * Whether a stack needs a row: it had none, or one with fewer names.
   *
   * @param named how many of its frames have names
   */
  boolean isNew(String id, int named) {
    if (Math.max(ofWholeRecordings.getOrDefault(id, -1), ofRecording.getOrDefault(id, -1))
        >= named) {
      return false;
    }
    if (ofWholeRecordings.size() + ofRecording.size() < MOST) {
      ofRecording.put(id, named);
    }
    return true;
  }

  /** A recording has been read to its end. */
  void keep() {
    ofRecording.forEach((id, named) -> ofWholeRecordings.merge(id, named, Math::max));
    ofRecording.clear();
  }

  /** A recording is rejected. */
  void drop() {
    ofRecording.clear();
  }
}
