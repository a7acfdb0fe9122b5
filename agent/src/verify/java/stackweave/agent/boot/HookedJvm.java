package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.HookedThreads;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;

/** A JVM whose short threads are sampled, before and after another agent is attached. */
abstract class HookedJvm {
  @TempDir Path directory;

  static final Pattern LINE =
      Pattern.compile("hooked (\\w+) told (\\w+) left (\\w+) used (\\d+) others ([\\d.]+)");

  /** Cores that other processes use at most on a machine that is ours. */
  static final double UNDISTURBED = 0.1;

  /** Of the 500 ticks that the threads meet, where the machine delivers them. */
  static final int ENOUGH = 200;

  void record(OutputStream in, BufferedReader out, String file, DoubleSummaryStatistics undisturbed)
      throws Exception {
    in.write((directory.resolve(file) + "\n").getBytes(StandardCharsets.UTF_8));
    in.flush();
    String line = out.readLine();
    Matcher matcher = LINE.matcher(String.valueOf(line));
    assertTrue(matcher.matches(), file + ": " + line);
    for (int i = 1; i <= 3; i++) {
      assertEquals("true", matcher.group(i), file + ": " + line);
    }
    long[] weights = ofShortThreads(directory.resolve(file));
    double covered = weights[0] / Double.parseDouble(matcher.group(4));
    long samples = weights[1];
    double others = Double.parseDouble(matcher.group(5));
    System.out.println(file + ": " + line + " covered " + covered + " by " + samples);
    if (others <= UNDISTURBED && samples >= ENOUGH) {
      undisturbed.accept(covered);
    }
    assertTrue(covered > 0, file + ": " + line);
    assertTrue(covered < 1.2, file + ": " + line);
  }

  /**
   * What samples of short threads stand for, in ns, and how many there are; many threads have ended
   * before they could tell their names.
   */
  private static long[] ofShortThreads(Path file) throws RecordingException {
    long[] sums = new long[2];
    SampledRecording.open(file)
        .forEachSample(
            sample -> {
              if (sample.thread().name().matches("short|thread \\d+")) {
                sums[0] += sample.weightNanos();
                sums[1]++;
              }
            });
    return sums;
  }

  void command(String... command) throws Exception {
    Jvm.all().findFirst().orElseThrow().commandLine(directory, command).successfully();
  }

  /**
   * So many recordings, then the agent is detached and another attached, and recorded again.
   *
   * @return the shares covered in all but the first, where nothing disturbed
   */
  DoubleSummaryStatistics recordShortThreads(Jvm jvm, int recordings) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-javaagent:" + Jars.AGENT + "=engine=timer"));
    arguments.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
    if (jvm.feature() >= 21) {
      arguments.add("-XX:+EnableDynamicAgentLoading");
    }
    if (jvm.feature() >= 24) {
      arguments.add("--illegal-native-access=deny");
    }
    arguments.addAll(List.of("-cp", Jars.apps().toString(), HookedThreads.class.getName()));
    DoubleSummaryStatistics undisturbed = new DoubleSummaryStatistics();
    Path err = directory.resolve("err.txt");
    Process process = jvm.start(directory, arguments).redirectError(err.toFile()).start();
    try {
      BufferedReader out = process.inputReader();
      OutputStream in = process.getOutputStream();
      assertEquals("running", out.readLine());
      record(in, out, "first.jfr", new DoubleSummaryStatistics());
      for (int i = 1; i < recordings; i++) {
        record(in, out, "again.jfr", undisturbed);
      }
      command("detach", Long.toString(process.pid()));
      in.write('\n');
      in.flush();
      assertEquals("removed true", out.readLine());
      command("attach", Long.toString(process.pid()), "hooks=on,engine=timer");
      record(in, out, "attached.jfr", undisturbed);
      in.close();
      assertTrue(process.waitFor(5, TimeUnit.MINUTES), "it does not end");
      assertEquals("", Files.readString(err));
    } finally {
      process.destroyForcibly();
    }

    return undisturbed;
  }
}
