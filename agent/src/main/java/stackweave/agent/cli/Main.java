package stackweave.agent.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import stackweave.agent.Version;

/** {@code java -jar stackweave-agent.jar}: what is done with a recording after it was made. */
@Command(
    name = "stackweave",
    description = "Mixed native and Java stacks out of JFR recordings.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.ImplementationVersion.class)
public final class Main implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  private Main() {}

  /** Ends the JVM with 0, or with 2 and one line on stderr. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Main()).execute(arguments));
  }

  @Override
  public void run() {
    throw new CommandLine.ParameterException(spec.commandLine(), "no command given");
  }

  static final class ImplementationVersion implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"Stackweave " + Version.current()};
    }
  }
}
