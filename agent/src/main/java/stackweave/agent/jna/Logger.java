package stackweave.agent.jna;

/**
 * Stands in JNA for the class of this name in java.util.logging, whose first use would fix the
 * application's LogManager before main() runs. Logs nothing: what goes wrong in JNA reaches us as
 * an exception, and the agent says it once in its own words.
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
