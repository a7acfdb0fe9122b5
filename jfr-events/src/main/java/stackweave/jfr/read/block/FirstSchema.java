package stackweave.jfr.read.block;

/**
 * The names of the events of schema 1, an event for each definition: recordings made before schema
 * 2 have them, and readers still accept them. Samples of schema 1 were {@code
 * stackweave.NativeSample} events, which have the settings today.
 */
public final class FirstSchema {
  public static final String FRAME = "stackweave.Frame";
  public static final String METHOD = "stackweave.Method";
  public static final String THREAD = "stackweave.Thread";
  public static final String LIBRARY = "stackweave.NativeLibrary";

  private FirstSchema() {}
}
