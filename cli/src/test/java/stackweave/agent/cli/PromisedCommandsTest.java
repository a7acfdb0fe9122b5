package stackweave.agent.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import stackweave.testing.Promised;

/** Commands and options that are in users' scripts mean what they meant. */
class PromisedCommandsTest {
  private static final Pattern DEFAULT = Pattern.compile("Default: (.*?)\\.?$");

  @Test
  void whatWasPromisedIsThere() throws IOException {
    List<String> present = new ArrayList<>();
    add("", new CommandLine(new Main(null)).getCommandSpec(), present);
    Promised.compare("command", present);
  }

  private static void add(String name, CommandSpec command, List<String> present) {
    for (OptionSpec option : command.options()) {
      boolean isOfAll = option.usageHelp() || option.versionHelp();
      if (option.hidden() || isOfAll && !name.isEmpty()) {
        continue;
      }
      String value = option.arity().max() == 0 ? "" : " " + option.paramLabel();
      for (String each : option.names()) {
        present.add((name + " " + each + value + repeated(option) + standard(option)).strip());
      }
    }
    for (PositionalParamSpec argument : command.positionalParameters()) {
      present.add(name + ": arguments " + argument.index() + ", each " + argument.arity());
    }
    command
        .subcommands()
        .forEach(
            (each, line) -> {
              String path = (name + " " + each).strip();
              present.add(path);
              add(path, line.getCommandSpec(), present);
            });
  }

  private static String repeated(ArgSpec option) {
    return option.isMultiValue() ? "..." : "";
  }

  /** The default as the help says it: the field has none where it depends on other options. */
  private static String standard(OptionSpec option) {
    Matcher said = DEFAULT.matcher(String.join(" ", option.description()));
    return said.find() ? " (" + said.group(1) + ")" : "";
  }
}
