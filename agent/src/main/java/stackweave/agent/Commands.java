package stackweave.agent;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import stackweave.agent.cli.Main;

/**
 * The command line with a sampler of other processes. Called reflectively by {@code
 * stackweave.agent.boot.Boot} only.
 */
public final class Commands {
  /** Those that sample processes. */
  private static final Set<String> SAMPLING = Set.of("record", "relay");

  /** Samples a process, or reads a recording. */
  private static final String TOP = "top";

  private static final Pattern PID = Pattern.compile("[1-9]\\d{0,8}");

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
        && (SAMPLING.contains(arguments[0])
            || arguments[0].equals(TOP)
                && (Arrays.stream(arguments).anyMatch(PID.asMatchPredicate())
                    || Arrays.stream(arguments).skip(1).noneMatch(Commands::isFile)));
  }

  private static boolean isFile(String argument) {
    try {
      return Files.exists(Path.of(argument));
    } catch (InvalidPathException e) {
      return false;
    }
  }
}
