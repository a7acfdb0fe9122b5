package stackweave.jna;

/**
 * Replaces the class of this name of java.util.logging in the agent's copy of JNA, since its first
 * use would fix the application's LogManager before main() runs. Logs nothing: JNA's failures reach
 * the agent as exceptions, which it reports itself.
 */
public final class Logger {

  private static final Logger SILENT = new Logger();

  private Logger() {}

  public static Logger getLogger(String name) {
    return SILENT;
  }

  public boolean isLoggable(Level level) {
    return false;
  }

  public void log(Level level, String message) {}

  public void log(Level level, String message, Object parameter) {}

  public void log(Level level, String message, Object[] parameters) {}

  public void log(Level level, String message, Throwable thrown) {}
}
