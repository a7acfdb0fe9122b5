package stackweave.agent.apps;

import java.util.logging.LogManager;

/** Chooses its LogManager as late as it is allowed to: in main(). */
public final class ChoosesLogManager {

  private ChoosesLogManager() {}

  public static void main(String[] arguments) {
    System.setProperty("java.util.logging.manager", Chosen.class.getName());
    System.out.println(LogManager.getLogManager().getClass().getSimpleName());
  }

  /** Any other than the JDK's. */
  public static final class Chosen extends LogManager {}
}
