package stackweave.engine;

import stackweave.jfr.control.EngineKind;

/** An engine could not be started; carries the refusal. All its resources are released. */
public final class EngineRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient EngineRefusal refusal;

  /** As {@link #EngineRefusedException(EngineRefusal)}, of a refusal with these parts. */
  public EngineRefusedException(
      EngineKind engine, EngineRefusal.Reason reason, int errno, String explanation) {
    this(new EngineRefusal(engine, reason, errno, explanation));
  }

  /**
   * @param refusal whose line becomes the message
   */
  public EngineRefusedException(EngineRefusal refusal) {
    super(refusal.line(), null, false, false);
    this.refusal = refusal;
  }

  /** Why the engine was refused. */
  public EngineRefusal refusal() {
    return refusal;
  }
}
