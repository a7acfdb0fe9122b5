package stackweave.distribution;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;
import stackweave.agent.cli.Main;

/**
 * Writes what shells and {@code man} know of the commands: the completion for bash and zsh, and the
 * sources of the man pages in AsciiDoc. Made from the commands themselves; the build of this module
 * runs it.
 */
public final class CommandPages {
  private static final String NAME = "stackweave";

  /**
   * Zsh loads this file by its name when it first completes. Bash's script runs in zsh, which has
   * no compopt; the alias that the script makes for it comes too late for a file that is read at
   * once.
   */
  private static final String ZSH =
      """
      #compdef stackweave
      compopt() { :; }
      %s
      _bash_complete -o default -F _complete_stackweave
      """;

  private CommandPages() {}

  /**
   * @param args the directory of the completion files, and that of the man pages' sources
   */
  public static void main(String[] args) throws IOException {
    if (args.length != 2) {
      throw new IllegalArgumentException("want: COMPLETION PAGES, got " + List.of(args));
    }
    // Picocli sorts options by the locale's rules.
    Locale.setDefault(Locale.ROOT);
    CommandLine commands = new CommandLine(new Main(null)).setCommandName(NAME);
    Path completion = Files.createDirectories(Path.of(args[0]));
    String bash = AutoComplete.bash(NAME, commands);
    Files.writeString(completion.resolve(NAME), bash);
    Files.writeString(completion.resolve("_" + NAME), String.format(ZSH, bash));
    int code =
        ManPageGenerator.generateManPage(
            Files.createDirectories(Path.of(args[1])).toFile(),
            null,
            new boolean[0],
            true,
            commands.getCommandSpec());
    if (code != 0) {
      throw new IOException("the man pages were not made: " + code);
    }
  }
}
