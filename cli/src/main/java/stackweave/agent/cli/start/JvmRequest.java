package stackweave.agent.cli.start;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import stackweave.agent.cli.common.FailedException;
import stackweave.jfr.control.SamplingControl;

/**
 * What each JVM of a program is to record, as options of the JVM.
 *
 * @param settings JFR's configuration for its own events
 * @param events settings of events, by event, '#' and setting
 * @param limitMillis how long from its start, in ms; 0 for until its end
 */
public record JvmRequest(String settings, Map<String, String> events, long limitMillis) {
  /**
   * The variable whose options the launcher {@code java} of JDK 9 and later takes, and no other
   * program: JAVA_TOOL_OPTIONS would also be taken by compilers and tools, and by JVMs of JDK 8,
   * which do not start with these options.
   */
  static final String VARIABLE = "JDK_JAVA_OPTIONS";

  /** The launcher knows quotes and no escapes; JFR and the JVM cut paths at the others. */
  private static final Pattern UNFIT = Pattern.compile("['\",=\\p{Cntrl}]");

  private static final Pattern UNFIT_FOR_LAUNCHER = Pattern.compile("['\"\\p{Cntrl}]");

  /**
   * The value of {@link #VARIABLE}.
   *
   * @param before its present value; empty for none
   * @param jar the agent's
   * @param directory where JVMs write their recordings
   * @throws FailedException if a path or setting can't be passed so
   */
  String options(String before, Path jar, Path directory) throws FailedException {
    for (Path path : List.of(jar, directory)) {
      if (UNFIT.matcher(path.toString()).find()) {
        throw new FailedException(
            "%s can't be passed to a JVM, for a quote, a comma or = is in it: %s",
            path,
            path.equals(jar)
                ? "copy the jar to another directory"
                : "choose another one by java -Djava.io.tmpdir=DIRECTORY");
      }
    }
    StringJoiner recording = new StringJoiner(",", "-XX:StartFlightRecording:", "");
    recording.add("filename=" + directory);
    recording.add("settings=" + settings);
    recording.add("dumponexit=true");
    if (limitMillis > 0) {
      recording.add("name=" + SamplingControl.TIMED);
      recording.add("duration=" + (limitMillis + 999) / 1_000 + "s");
    }
    events.forEach((key, value) -> recording.add("+" + key + "=" + value.replace(" ", "")));
    List<String> options =
        List.of(
            "-javaagent:" + jar,
            "-Xlog:jfr+startup=off", // on standard output, which is the program's
            "-XX:FlightRecorderOptions:repository=" + directory,
            recording.toString());
    StringJoiner all = new StringJoiner(" ");
    if (!before.isBlank()) {
      all.add(before);
    }
    for (String option : options) {
      if (UNFIT_FOR_LAUNCHER.matcher(option).find()) {
        throw new FailedException("'%s' can't be passed to a JVM: it has a quote in it", option);
      }
      all.add(option.contains(" ") ? "'" + option + "'" : option);
    }
    return all.toString();
  }
}
