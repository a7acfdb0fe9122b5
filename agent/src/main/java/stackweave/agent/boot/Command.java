package stackweave.agent.boot;

/**
 * Main class of the command line, {@code java -jar stackweave-agent.jar …}. Separate from {@link
 * Boot}, since the launcher resolves all methods of the main class, and on a Java runtime without
 * java.instrument that would fail for those of Boot. Compiled for Java 8, as Boot is.
 */
public final class Command {

  private Command() {}

  /** Runs the command and ends the JVM with its exit code. */
  public static void main(String[] arguments) throws Throwable {
    Boot.command(arguments);
  }
}
