package stackweave.agent.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import stackweave.agent.Version;

/** {@code java -jar stackweave-agent.jar}: what is done with running JVMs and with recordings. */
@Command(
    name = "stackweave",
    customSynopsis = "java -jar stackweave-agent.jar COMMAND ...",
    description = "Stacks of native and Java frames: samples JVMs, reads recordings.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.AgentVersion.class,
    subcommands = {
      FlameGraphCommand.class,
      TopCommand.class,
      CollapsedCommand.class,
      AttachCommand.class,
      RecordCommand.class,
      StatusCommand.class,
      DetachCommand.class,
      OffCommand.class,
      OnCommand.class,
      JfcCommand.class,
      ReplayCommand.class,
      SFrameCommand.class
    })
public final class Main implements Runnable {

  /** Every failure: of the command line, of the recording, of the output. */
  private static final int FAILED = 2;

  @Spec private CommandSpec spec;

  private Main() {}

  /** Ends the JVM with 0, or with 2 and one line on stderr. */
  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  private static int run(String[] arguments) {
    try {
      return new CommandLine(new Main())
          .setParameterExceptionHandler((e, all) -> failed(e.getMessage() + hint(e)))
          .setExecutionExceptionHandler((e, command, parsed) -> failed(FailedException.text(e)))
          .execute(arguments);
    } catch (OutOfMemoryError e) {
      return failed("not enough memory for this file: give more with java -Xmx4g -jar");
    } catch (LinkageError e) {
      return failed("this Java installation lacks a part that is needed (" + e + ")");
    }
  }

  /** Without a command: an error, but one that wants help. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }

  private static String hint(ParameterException e) {
    String command = e.getCommandLine().getCommandSpec().qualifiedName();
    return " (" + command.replace("stackweave", "java -jar stackweave-agent.jar") + " --help)";
  }

  private static int failed(String message) {
    System.err.println("stackweave: " + Plain.line(message));
    return FAILED;
  }

  static final class AgentVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"Stackweave " + Version.current()};
    }
  }
}
