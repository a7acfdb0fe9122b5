package stackweave.agent.drain;

import java.util.HashSet;
import java.util.Set;

/**
 * What the user is told on stderr: one line a matter, each said once in the life of the JVM.
 * Thread-safe.
 */
public final class Messages {
  private static final String CONSEQUENCE = "; the application runs on unharmed";
  private final Set<String> said = new HashSet<>();

  /** Says why sampling doesn't run, or not as asked. */
  public synchronized void sampling(String message) {
    if (said.add(message)) {
      System.err.println("stackweave: " + message + CONSEQUENCE);
    }
  }
}
