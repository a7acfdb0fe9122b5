package stackweave.lab.overhead.app;

/** Ends at once: what is measured is the start of a JVM. */
public final class NothingApplication implements Application {
  @Override
  public void work(int worker, Units units) {
    while (units.next()) {}
  }
}
