package stackweave.agent.message;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Writes messages for the user on stderr, one line each, each once in the life of the JVM.
 * Thread-safe.
 */
public final class Messages {
  /** How each line begins. */
  public static final String BEGIN = "stackweave: ";

  private static final String CONSEQUENCE = "; the application runs on unharmed";

  /** Most messages; further ones would repeat the same with other numbers. */
  private static final int MAX = 100;

  private final Set<String> said = new HashSet<>();
  private final Consumer<String> out;

  /** With stderr as output; by a class and not a lambda, whose bootstrap costs start time. */
  public Messages() {
    this(
        new Consumer<>() {
          @Override
          public void accept(String line) {
            System.err.println(line);
          }
        });
  }

  /** With another output; for tests. */
  public Messages(Consumer<String> out) {
    this.out = out;
  }

  /** Reports why sampling doesn't run, or not as asked. */
  public void sampling(String message) {
    say(message + CONSEQUENCE);
  }

  /** Reports what was not understood in a recording's settings, and what is done instead. */
  public void setting(String message) {
    say(message);
  }

  private synchronized void say(String message) {
    if (said.size() < MAX && said.add(message)) {
      out.accept(BEGIN + message);
    }
  }
}
