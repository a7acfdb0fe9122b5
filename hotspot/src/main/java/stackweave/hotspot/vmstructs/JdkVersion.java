package stackweave.hotspot.vmstructs;

/**
 * What differs between JDKs and is not described by vmStructs, so that only the version number
 * tells. Together with {@link Layout}, which decides by what vmStructs describe, this is the one
 * place that knows about JDK versions: all other code asks one of these two.
 *
 * @param feature the JDK's feature version, such as 17 or 25
 */
public record JdkVersion(int feature) {
  private static final int FIRST_WITHOUT_ZERO_BYTES = 20;
  private static final int FIRST_WITH_SENDER_SP_IN_X19 = 20;
  private static final int FIRST_WITH_CODE_MARKED = 20;
  private static final int FIRST_WITHOUT_DEAD_CODE = 20;
  private static final int FIRST_WITH_CONTINUATIONS = 21;
  private static final int FIRST_WITH_ONE_DEOPT_HANDLER = 26;

  /** Whether UNSIGNED5 never writes a zero byte, so that bytes count from 1 (unsigned5.hpp, 20). */
  boolean unsigned5ExcludesZero() {
    return feature >= FIRST_WITHOUT_ZERO_BYTES;
  }

  /** AArch64: whether the caller's sp is kept in x19, not in x13 (JDK-8288971, 20). */
  public boolean keepsSenderSpInX19() {
    return feature >= FIRST_WITH_SENDER_SP_IN_X19;
  }

  /**
   * Whether compiled code marks itself when it is entered, so that a collector keeps what runs
   * after it has begun (JDK-8290025, 20).
   */
  public boolean marksCodeThatRuns() {
    return feature >= FIRST_WITH_CODE_MARKED;
  }

  /**
   * Whether dead code stays in the code cache, marked as such, until the sweeper frees it, which
   * can be long after what it names (JDK-8290025, 20).
   */
  public boolean keepsDeadCode() {
    return feature < FIRST_WITHOUT_DEAD_CODE;
  }

  /** Whether virtual threads run as continuations on the carriers' stacks (JEP 444, 21). */
  public boolean hasContinuations() {
    return feature >= FIRST_WITH_CONTINUATIONS;
  }

  /** Whether calls through method handles return to a deopt handler of their own (up to 25). */
  boolean hasMethodHandleDeoptHandler() {
    return feature < FIRST_WITH_ONE_DEOPT_HANDLER;
  }
}
