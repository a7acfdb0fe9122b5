package stackweave.agent.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.attach.Version;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.record.RecordingOptions;
import stackweave.jfr.event.NativeSample;

/** The command {@code jfc}: writes the JFR settings file that enables Stackweave's events. */
@Command(
    name = "jfc",
    description = {
      "Settings for JFR with Stackweave's samples, as a file for settings= of a recording.",
      "-XX:StartFlightRecording:settings=stackweave.jfc,filename=rec.jfr"
    })
final class JfcCommand implements Callable<Integer> {
  private static final String FILE = "/stackweave/agent/stackweave.jfc";

  /** The line of that file that is replaced by the settings of the agent's events. */
  private static final String OWN_EVENTS = "  <!-- OWN EVENTS -->\n";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private Path output;

  @Mixin private RecordingOptions sampling;

  @Override
  public Integer call() throws FailedException {
    Map<String, String> settings = new TreeMap<>(Map.of(NativeSample.NAME + "#engine", "auto"));
    if (!sampling.hasEvent()) {
      settings.put(NativeSample.NAME + "#interval", "10 ms"); // a time only for samples of CPU time
    }
    settings.putAll(sampling.eventSettings());
    Output.to(output, out -> out.append(text(settings)));
    return 0;
  }

  private static String text(Map<String, String> settings) throws IOException {
    Map<String, String> events = new TreeMap<>();
    settings.forEach(
        (key, value) -> {
          String[] parts = key.split("#"); // event and setting
          events.merge(parts[0], setting(parts[1], value.strip()), String::concat);
        });
    StringBuilder text = new StringBuilder();
    events.forEach(
        (event, lines) ->
            text.append("  <event name=\"" + event + "\">\n" + lines + "  </event>\n"));
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      String file = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return file.replace(OWN_EVENTS, text);
    }
  }

  private static String setting(String name, String value) {
    String text = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    return "    <setting name=\"" + name + "\">" + text + "</setting>\n";
  }
}
