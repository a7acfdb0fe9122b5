package stackweave.agent.cli.common;

import picocli.CommandLine.Option;

/** {@code --help}, which every command has. */
public final class HelpOption {

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  private boolean help;
}
