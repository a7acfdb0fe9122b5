package stackweave.jfr.control;

/** Holds back all that sampling needs, from the registration of its events with JFR on. */
public interface StartGate {

  /** The recordings of this JVM, looked at anew each time. On the control thread only. */
  interface Recordings {
    /** Whether any is running. */
    boolean areRunning();

    /** Whether one that is running asks for samples, as far as it says so itself. */
    boolean ask();

    /** Whether a recording may have begun, ended or changed since they were last asked. Cheap. */
    boolean haveChanged();
  }

  /**
   * Called on the control thread before recordings are looked at.
   *
   * @return true when they may be; false when none is running any more, or nobody waits
   */
  boolean await(Recordings recordings);
}
