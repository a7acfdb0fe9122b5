package stackweave.jfr.store;

/**
 * Texts that JFR does not pool. JDK 17 pools a text of 17 to 127 characters that it meets again
 * (jdk.jfr.internal.StringPool), and a later recording of the same JVM may lack it: tests make many
 * recordings in one JVM.
 */
public final class Unpooled {
  private static final int NEVER_POOLED = 128;

  private Unpooled() {}

  /** A legend with an entry more, so long that it is not pooled. */
  public static String legend(String entries) {
    return entries + ",999=" + "unused".repeat(NEVER_POOLED / 6 + 1);
  }
}
