package stackweave.agent.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;
import stackweave.agent.attach.Version;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.UsageException;
import stackweave.agent.cli.jvm.AttachCommand;
import stackweave.agent.cli.jvm.DetachCommand;
import stackweave.agent.cli.jvm.JvmList;
import stackweave.agent.cli.jvm.OwnCommand;
import stackweave.agent.cli.jvm.StatusCommand;
import stackweave.agent.cli.outside.OutsideSampling;
import stackweave.agent.cli.read.CollapsedCommand;
import stackweave.agent.cli.read.ExportCommand;
import stackweave.agent.cli.read.FlameGraphCommand;
import stackweave.agent.cli.read.LibrariesCommand;
import stackweave.agent.cli.read.MergeCommand;
import stackweave.agent.cli.read.OtlpCommand;
import stackweave.agent.cli.read.ReportCommand;
import stackweave.agent.cli.read.TopCommand;
import stackweave.agent.cli.record.RecordCommand;
import stackweave.agent.cli.relay.RelayCommand;
import stackweave.agent.cli.sframe.SFrameCommand;
import stackweave.agent.cli.switching.OffCommand;
import stackweave.agent.cli.switching.OnCommand;
import stackweave.linux.Descriptor;

/**
 * The command line, {@code java -jar stackweave-agent.jar}: parses the arguments, runs the
 * subcommand and turns every failure into one line on stderr. Called by {@code
 * stackweave.agent.boot.Command}.
 */
@Command(
    description = {
      "Stacks of native and Java frames: samples JVMs, reads recordings.",
      "Without a command: the JVMs that run, and what to type."
    },
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT, // each command has --help
    versionProvider = Main.AgentVersion.class,
    subcommands = {
      FlameGraphCommand.class,
      TopCommand.class,
      ReportCommand.class,
      LibrariesCommand.class,
      CollapsedCommand.class,
      ExportCommand.Pprof.class,
      OtlpCommand.class,
      ExportCommand.Speedscope.class,
      ExportCommand.Firefox.class,
      MergeCommand.class,
      AttachCommand.class,
      RecordCommand.class,
      RelayCommand.class,
      StatusCommand.class,
      DetachCommand.class,
      OffCommand.class,
      OnCommand.class,
      JfcCommand.class,
      ReplayCommand.class,
      SFrameCommand.class,
      CommandLine.HelpCommand.class
    })
public final class Main implements Callable<Integer>, OutsideSampling.Source {

  /** Exit code of every failure. */
  private static final int FAILED = 2;

  /** How picocli's message for an unknown subcommand of help begins. */
  private static final String UNKNOWN = "Unknown subcommand ";

  /** The launcher's replacement for bytes that are no character in the locale's encoding. */
  private static final char REPLACED = '\uFFFD';

  /** Modules that commands need besides java.base. */
  private static final List<String> MODULES = List.of("jdk.jfr", "java.logging", "java.net.http");

  private final OutsideSampling outside;

  /**
   * The commands.
   *
   * @param outside what samples JVMs without an agent in them; null if none is run
   */
  public Main(OutsideSampling outside) {
    this.outside = outside;
  }

  @Override
  public OutsideSampling outside() {
    return outside;
  }

  /** Without a command. */
  @Override
  public Integer call() throws FailedException {
    JvmList.print();
    return 0;
  }

  /**
   * Runs a command, and returns its exit code: 0, or 2 after one line on stderr; of a program that
   * {@code record} started, the program's.
   *
   * @param outside what samples JVMs without an agent in them
   */
  public static int run(OutsideSampling outside, String... arguments) {
    try {
      for (String argument : arguments) {
        mustBeDecodable(argument);
      }
      InheritedRecordings.end();
      return new CommandLine(new Main(outside))
          .setCommandName(OwnCommand.name())
          .setParameterExceptionHandler(
              (e, all) -> failed(problem(e) + hint(e.getCommandLine().getCommandSpec())))
          .setExecutionStrategy(Main::runOnInputThatStays)
          .setExecutionExceptionHandler((e, command, parsed) -> failed(text(e, command)))
          .setCaseInsensitiveEnumValuesAllowed(true)
          .setExpandAtFiles(false) // a program that record starts may take such files
          .execute(arguments);
    } catch (FailedException e) {
      return failed(FailedException.text(e));
    } catch (OutOfMemoryError e) {
      return failed("not enough memory for this file: give more with java -Xmx4g -jar");
    } catch (LinkageError e) {
      return failed(lacking(e));
    }
  }

  private static int runOnInputThatStays(ParseResult parsed) {
    InputFiles inputs = InputFiles.of(parsed);
    int code = new CommandLine.RunLast().execute(parsed);
    try {
      inputs.compare();
      return code;
    } catch (FailedException e) {
      return failed(FailedException.text(e));
    }
  }

  /**
   * Refuses an argument in which the JDK has replaced characters that the locale's encoding lacks:
   * no file would be found by it.
   */
  private static void mustBeDecodable(String argument) throws FailedException {
    if (argument.indexOf(REPLACED) >= 0) {
      String encoding = System.getProperty(Descriptor.NAME_ENCODING, "unknown");
      throw new FailedException(
          "'%s' has characters that Java does not know in this locale (%s): %s",
          argument.replace(REPLACED, '?'),
          encoding,
          encoding.equals("UTF-8")
              ? "rename the file"
              : "run the same command with LC_ALL=C.UTF-8");
    }
  }

  /** The message for a LinkageError: a runtime image made by jlink may lack modules. */
  private static String lacking(LinkageError e) {
    List<String> missing = new ArrayList<>();
    for (String module : MODULES) {
      if (ModuleLayer.boot().findModule(module).isEmpty()) {
        missing.add(module);
      }
    }
    return missing.isEmpty()
        ? "this Java installation lacks a part that is needed (" + e + ")"
        : "this Java runtime lacks "
            + String.join(", ", missing)
            + ", which this command needs: run it with a JDK of version 17 or newer";
  }

  /**
   * The message for a parse error: picocli's, except that an unknown command gets the list of
   * commands.
   */
  private static String problem(ParameterException e) {
    CommandLine command = e.getCommandLine();
    String wrong = null;
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      wrong = unmatched.getUnmatched().get(0);
    } else if (FailedException.worded(e).startsWith(UNKNOWN)) {
      wrong = FailedException.worded(e).replaceFirst(".*'(.*)'.*", "$1");
    }
    if (wrong == null || wrong.startsWith("-") || command.getSubcommands().isEmpty()) {
      return FailedException.worded(e);
    }
    return "unknown command '"
        + wrong
        + "'; there are "
        + String.join(", ", command.getSubcommands().keySet());
  }

  private static String hint(CommandSpec command) {
    List<Object> words = new ArrayList<>(List.of("--help"));
    for (CommandSpec at = command; at.parent() != null; at = at.parent()) {
      words.add(0, at.name());
    }
    return " (" + OwnCommand.line(words.toArray()) + ")";
  }

  private static String text(Exception e, CommandLine command) {
    return FailedException.text(e)
        + (e instanceof UsageException ? hint(command.getCommandSpec()) : "");
  }

  private static int failed(String message) {
    CommandMessages.say(message);
    return FAILED;
  }

  static final class AgentVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"Stackweave " + Version.current()};
    }
  }
}
