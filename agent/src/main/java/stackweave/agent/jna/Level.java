package stackweave.agent.jna;

/** Stands in JNA for the class of this name in java.util.logging. */
public enum Level {
  FINER,
  FINE,
  INFO,
  WARNING,
  SEVERE
}
