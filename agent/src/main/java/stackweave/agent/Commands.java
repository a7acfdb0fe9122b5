package stackweave.agent;

import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import stackweave.agent.cli.Main;

/**
 * The command line with a sampler of other processes. Called reflectively by {@code
 * stackweave.agent.boot.Boot} only.
 */
public final class Commands {
  /** Those that sample processes, which they name. */
  private static final Set<String> SAMPLING = Set.of("record", "top", "relay");

  private static final Pattern PROCESS = Pattern.compile("[1-9]\\d{0,8}|--all");

  private Commands() {}

  /** Ends the JVM with 0, or with 2 and one line on stderr. */
  public static void main(String[] arguments) {
    if (isOfProcess(arguments)) {
      CommandJvm.renew();
    }
    System.exit(Main.run(new ProcessSampling(), arguments));
  }

  private static boolean isOfProcess(String[] arguments) {
    return arguments.length > 1
        && SAMPLING.contains(arguments[0])
        && Arrays.stream(arguments).anyMatch(PROCESS.asMatchPredicate());
  }
}
