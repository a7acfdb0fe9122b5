package stackweave.samples.lab.phase;

/** Loads the variant's library into the loader of the phases. */
public final class Library {

  private Library() {}

  /**
   * @param path absolute path of the library
   */
  public static void load(String path) {
    System.load(path);
  }
}
