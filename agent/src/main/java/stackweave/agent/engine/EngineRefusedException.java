package stackweave.agent.engine;

/** An engine that could not be started; carries the refusal. Everything it held is released. */
public final class EngineRefusedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient EngineRefusal refusal;

  public EngineRefusedException(EngineRefusal refusal) {
    super(refusal.line(), null, false, false);
    this.refusal = refusal;
  }

  public EngineRefusal refusal() {
    return refusal;
  }
}
