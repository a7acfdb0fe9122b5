package stackweave.agent.boot;

/**
 * The command line: {@code java -jar stackweave-agent.jar …}. Not {@link Boot}, for the launcher
 * looks at all methods of this class, and a Java runtime without java.instrument would fail there.
 * Compiled for Java 8, as that.
 */
public final class Command {

  private Command() {}

  /** Ends the JVM with the command's exit code. */
  public static void main(String[] arguments) throws Throwable {
    Boot.command(arguments);
  }
}
