package stackweave.jna;

/** Replaces the class of this name of java.util.logging in the agent's copy of JNA. */
public enum Level {
  FINER,
  FINE,
  INFO,
  WARNING,
  SEVERE
}
