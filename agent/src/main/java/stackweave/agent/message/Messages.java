package stackweave.agent.message;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What the user is told on stderr: one line a matter, each said once in the life of the JVM.
 * Thread-safe.
 */
public final class Messages {
  private static final String CONSEQUENCE = "; the application runs on unharmed";

  /** More would be the same again with other numbers. */
  private static final int MAX = 100;

  private final Set<String> said = new HashSet<>();
  private final Consumer<String> out;

  public Messages() {
    this(
        new Consumer<>() {
          @Override
          public void accept(String line) {
            System.err.println(line);
          }
        });
  }

  /** Says it elsewhere; for tests. */
  public Messages(Consumer<String> out) {
    this.out = out;
  }

  /** Says why sampling doesn't run, or not as asked. */
  public void sampling(String message) {
    say(message + CONSEQUENCE);
  }

  /** Says what was not understood in a recording's settings, and what is done instead. */
  public void setting(String message) {
    say(message);
  }

  private synchronized void say(String message) {
    if (said.size() < MAX && said.add(message)) {
      out.accept("stackweave: " + message);
    }
  }
}
