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
import stackweave.agent.cli.record.BlockedOption;
import stackweave.agent.cli.record.WallOption;
import stackweave.agent.message.Version;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.WallSample;

/** The command {@code jfc}: writes the JFR settings file that enables Stackweave's events. */
@Command(
    name = "jfc",
    description = {
      "Settings for JFR with Stackweave's samples, as a file for settings= of a recording.",
      "-XX:StartFlightRecording:settings=stackweave.jfc,filename=rec.jfr"
    },
    customSynopsis = "java -jar stackweave-agent.jar jfc [-o FILE] [--wall TIME] [--blocked TIME]")
final class JfcCommand implements Callable<Integer> {
  private static final String FILE = "/stackweave/agent/stackweave.jfc";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private Path output;

  @Mixin private WallOption wall;

  @Mixin private BlockedOption blocked;

  @Mixin private HelpOption help;

  /** What the events of waiting and blocked threads are put before. */
  private static final String NEXT_EVENT = "  <event name=\"jdk.ExecutionSample\">";

  @Override
  public Integer call() throws FailedException {
    Output.Content content = out -> out.append(text());
    Output.to(output, content);
    return 0;
  }

  private String text() throws IOException {
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      String more =
          event(WallSample.NAME, "interval", wall.interval())
              + event(Blocked.NAME, "threshold", blocked.threshold());
      return text.replace(NEXT_EVENT, more + NEXT_EVENT);
    }
  }

  /** An event with its setting; nothing where the value is null. */
  private static String event(String name, String setting, String value) {
    return value == null
        ? ""
        : "  <event name=\""
            + name
            + "\">\n    <setting name=\"enabled\">true</setting>\n    <setting name=\""
            + setting
            + "\">"
            + value.strip()
            + "</setting>\n  </event>\n";
  }
}
