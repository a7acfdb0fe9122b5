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
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.HelpOption;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.record.BlockedOption;
import stackweave.agent.cli.record.SamplingOptions;
import stackweave.agent.cli.record.WallOption;
import stackweave.agent.message.Version;
import stackweave.jfr.event.NativeSample;

/** The command {@code jfc}: writes the JFR settings file that enables Stackweave's events. */
@Command(
    name = "jfc",
    description = {
      "Settings for JFR with Stackweave's samples, as a file for settings= of a recording.",
      "-XX:StartFlightRecording:settings=stackweave.jfc,filename=rec.jfr"
    },
    customSynopsis =
        "java -jar stackweave-agent.jar jfc [-o FILE] [--interval TIME] [--engine NAME]"
            + " [--event NAME] [--wall TIME] [--blocked TIME]")
final class JfcCommand implements Callable<Integer> {
  private static final String FILE = "/stackweave/agent/stackweave.jfc";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private Path output;

  @Mixin private SamplingOptions sampling;

  @Mixin private WallOption wall;

  @Mixin private BlockedOption blocked;

  @Mixin private HelpOption help;

  /** What the events of waiting and blocked threads are put before. */
  private static final String NEXT_EVENT = "  <event name=\"jdk.ExecutionSample\">";

  private static final String END_OF_EVENT = "  </event>\n";
  private static final String INTERVAL = NativeSample.NAME + "#interval";

  @Override
  public Integer call() throws FailedException {
    Output.Content content = out -> out.append(text());
    Output.to(output, content);
    return 0;
  }

  private String text() throws IOException {
    Map<String, String> wishes = sampling.eventSettings();
    wall.addTo(wishes);
    blocked.addTo(wishes);
    if (sampling.hasEvent()) {
      wishes.putIfAbsent(INTERVAL, ""); // that of the file is a time
    }
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Map<String, String> more = new TreeMap<>();
      for (Map.Entry<String, String> wish : wishes.entrySet()) {
        int end = wish.getKey().indexOf('#');
        String event = wish.getKey().substring(0, end);
        String name = wish.getKey().substring(end + 1);
        String setting = setting(name, wish.getValue().strip());
        if (event.equals(NativeSample.NAME)) {
          text = withOwn(text, name, setting);
        } else {
          more.merge(event, setting, String::concat);
        }
      }
      StringBuilder events = new StringBuilder();
      more.forEach(
          (event, settings) ->
              events
                  .append("  <event name=\"")
                  .append(event)
                  .append("\">\n")
                  .append(settings)
                  .append("  </event>\n"));
      return text.replace(NEXT_EVENT, events + NEXT_EVENT);
    }
  }

  /** Replaces a setting of the file's first event, which is that of the samples, or adds it. */
  private static String withOwn(String text, String name, String setting) {
    int end = text.indexOf(END_OF_EVENT);
    int old = text.indexOf("    <setting name=\"" + name + "\">");
    return old >= 0 && old < end
        ? text.substring(0, old) + setting + text.substring(text.indexOf('\n', old) + 1)
        : text.substring(0, end) + setting + text.substring(end);
  }

  /** A line; nothing for an empty value. */
  private static String setting(String name, String value) {
    return value.isEmpty()
        ? ""
        : "    <setting name=\""
            + name
            + "\">"
            + value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            + "</setting>\n";
  }
}
