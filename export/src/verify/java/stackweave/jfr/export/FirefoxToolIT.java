package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Commands;

/** Profiles as the Firefox Profiler reads them: by its own command line, which npm installs. */
@ResourceLock(Programs.OWN_JFR)
class FirefoxToolIT {
  private static final String PACKAGE = "@firefox-devtools/profiler-cli@0.10.0";
  private static final String NAME = "profiler-cli";
  private static final String SESSION = "test";

  @TempDir private Path directory;
  private String program;

  @Test
  @Timeout(300)
  void theProfilersCommandLineFindsTheTimeOfEachThread() throws Exception {
    assumeTrue(Commands.exist("npm"), "needs npm, which runs " + PACKAGE);
    String path = run("npm", "exec", "--yes", "--package=" + PACKAGE, "-c", "command -v " + NAME);
    path = path.strip().substring(path.strip().lastIndexOf('\n') + 1); // behind warnings
    assumeTrue(path.endsWith("/" + NAME), PACKAGE + " can't be had");
    program = path;
    SampledRecording recording = ManyStacks.all(directory);
    Path file = directory.resolve("profile.json");
    FirefoxExport export = new FirefoxExport("many stacks", Selection.ALL);
    Files.write(file, ExportedStacks.bytes(export, recording));
    // By itself it starts this in the background, and gives it half a second.
    Process daemon = start(program, "--daemon", file.toString(), "--session", SESSION);
    try {
      assertEquals(microsByThread(recording), microsByThread(profile(daemon)));
    } finally {
      daemon.destroy();
    }
  }

  /** Who asks before the session is ready deletes it, and finds it no more. */
  private JsonObject profile(Process daemon) throws Exception {
    Path log = directory.resolve(".profiler-cli/" + SESSION + ".log");
    while (!Files.exists(log) || !Files.readString(log).contains("Profile loaded")) {
      assertTrue(daemon.isAlive(), "the session has ended");
      Thread.sleep(100);
    }
    return JsonParser.parseString(
            run(program, "profile", "info", "--all", "--json", "--session", SESSION))
        .getAsJsonObject();
  }

  private static Map<String, Long> microsByThread(SampledRecording recording) throws Exception {
    Map<String, Long> nanos = new TreeMap<>();
    TimedSamples samples = new TimedSamples(recording, Selection.ALL, true);
    int number = 0;
    for (TimedSamples.ThreadSamples thread : samples.threads()) {
      for (TimedSamples.Taken sample : thread.samples) {
        nanos.merge("t-" + number + " " + thread.name(), sample.weight(), Long::sum);
      }
      number++;
    }
    nanos.replaceAll((thread, sum) -> sum / 1_000); // the viewer has fractions of ms
    return nanos;
  }

  private Map<String, Long> microsByThread(JsonObject profile) throws Exception {
    Map<String, Long> micros = new TreeMap<>();
    for (JsonElement process : profile.getAsJsonArray("processes")) {
      for (JsonElement thread : process.getAsJsonObject().getAsJsonArray("threads")) {
        String handle = thread.getAsJsonObject().get("threadHandle").getAsString();
        double millis = 0;
        String functions =
            run(
                program,
                "thread",
                "functions",
                "--thread=" + handle,
                "--include-idle",
                "--limit=0",
                "--json",
                "--session=" + SESSION);
        for (JsonElement function :
            JsonParser.parseString(functions).getAsJsonObject().getAsJsonArray("functions")) {
          millis += function.getAsJsonObject().get("selfSamples").getAsDouble();
        }
        String name = thread.getAsJsonObject().get("name").getAsString();
        micros.put(handle + " " + name, (long) (millis * 1e3));
      }
    }
    return micros;
  }

  /** What a program prints. */
  private String run(String... command) throws Exception {
    Process process = start(command);
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), String.join(" ", command));
    return Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
  }

  /** The profiler's sessions are files in the home directory. */
  private Process start(String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile());
    builder.environment().put("npm_config_cache", System.getProperty("user.home") + "/.npm");
    builder.environment().put("HOME", directory.toString());
    return builder.start();
  }
}
