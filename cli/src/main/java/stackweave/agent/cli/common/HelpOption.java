package stackweave.agent.cli.common;

import picocli.CommandLine.Option;

/** The option {@code --help}, which every command mixes in. */
public final class HelpOption {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  private boolean help;
}
