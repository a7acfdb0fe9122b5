package stackweave.agent.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.HelpOption;
import stackweave.agent.cli.common.Output;
import stackweave.agent.message.Version;

/** The command {@code jfc}: writes the JFR settings file that enables Stackweave's events. */
@Command(
    name = "jfc",
    description = {
      "Settings for JFR with Stackweave's samples, as a file for settings= of a recording.",
      "-XX:StartFlightRecording:settings=stackweave.jfc,filename=rec.jfr"
    },
    customSynopsis = "java -jar stackweave-agent.jar jfc [-o FILE]")
final class JfcCommand implements Callable<Integer> {
  private static final String FILE = "/stackweave/agent/stackweave.jfc";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private Path output;

  @Mixin private HelpOption help;

  @Override
  public Integer call() throws FailedException {
    Output.Content content = out -> out.append(text());
    Output.to(output, content);
    return 0;
  }

  private static String text() throws IOException {
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
