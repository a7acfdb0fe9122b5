package stackweave.hotspot.model;

import stackweave.unwind.HeapShare;
import stackweave.unwind.hash.InternTable;

/**
 * The names of methods and stubs met so far, with an {@code int} for each; frames have the int
 * only. Ids are dense from 0 and not reused within a {@link #generation}. Not thread-safe: belongs
 * to the thread that unwinds.
 */
public final class HotSpotMethods {
  /** So many characters of names count as much as a name. */
  private static final int CHARACTERS = 256;

  /** Some 32 MiB of names. */
  private static final int MAX_LOAD = HeapShare.of(1 << 17);

  private final InternTable<HotSpotMethod> methods = new InternTable<>();
  private long characters;
  private int generation;

  /** The id of an equal method, new if there was none. */
  public int intern(HotSpotMethod method) {
    int known = methods.size();
    int id = methods.intern(method);
    if (methods.size() > known) {
      characters +=
          method.className().length() + method.name().length() + method.descriptor().length();
    }
    return id;
  }

  /** The method of an id that {@link #intern} gave. */
  public HotSpotMethod get(int id) {
    return methods.get(id);
  }

  /** How many there are. */
  public int size() {
    return methods.size();
  }

  /** How much memory they take, as a number of names: a long one counts as several. */
  public int load() {
    return (int) (methods.size() + characters / CHARACTERS);
  }

  /**
   * Whether no more should be added before all are forgotten. A class file's names have up to
   * 65,535 bytes, of which one stack could have thousands.
   */
  public boolean isFull() {
    return load() >= MAX_LOAD;
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
    characters = 0;
    generation++;
  }
}
