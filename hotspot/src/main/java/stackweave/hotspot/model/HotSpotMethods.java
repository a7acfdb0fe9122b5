package stackweave.hotspot.model;

import stackweave.unwind.hash.InternTable;

/**
 * The names of methods and stubs met so far, with an {@code int} for each; frames have the int
 * only. Ids are dense from 0 and not reused within a {@link #generation}. Not thread-safe: belongs
 * to the thread that unwinds.
 */
public final class HotSpotMethods {
  private final InternTable<HotSpotMethod> methods = new InternTable<>();
  private int generation;

  /** The id of an equal method, new if there was none. */
  public int intern(HotSpotMethod method) {
    return methods.intern(method);
  }

  /** The method of an id that {@link #intern} gave. */
  public HotSpotMethod get(int id) {
    return methods.get(id);
  }

  /** How many there are. */
  public int size() {
    return methods.size();
  }

  /**
   * Counts how often all was forgotten, which bounds how many there are: ids of an earlier
   * generation name nothing, or something else.
   */
  public int generation() {
    return generation;
  }

  /** Begins the next generation, without any names. */
  public void forget() {
    methods.clear();
    generation++;
  }
}
