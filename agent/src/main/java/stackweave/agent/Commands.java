package stackweave.agent;

import stackweave.agent.cli.Main;

/**
 * The command line with a sampler of other processes. Called reflectively by {@code
 * stackweave.agent.boot.Boot} only.
 */
public final class Commands {
  private Commands() {}

  /** Ends the JVM with 0, or with 2 and one line on stderr. */
  public static void main(String[] arguments) {
    System.exit(Main.run(new ProcessSampling(), arguments));
  }
}
