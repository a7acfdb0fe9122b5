package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.FlightRecorderMXBean;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Driven;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;

/**
 * One JVM in which recordings come, change and go by every way that there is: jcmd with our file of
 * settings, JMX as JDK Mission Control uses it, a stream in the application. After each step the
 * agent does what all of them together ask for, and in the end there is nothing of it left.
 */
class DrivenIT {
  /** In place of the name with the time in it that JFR gives to a stream's recording. */
  private static final String STREAM = "STREAM";

  /** As many as the application sees before any recording is looked at. */
  private static final int SAMPLES_OF_STREAM = 50;

  @TempDir private Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  @SuppressWarnings("BanJNDI") // the JMX server is one that the test has started
  void recordingsComeChangeAndGo(Jvm jvm) throws Exception {
    List<String> arguments =
        List.of("-javaagent:" + Jars.AGENT, "-cp", Jars.apps().toString(), Driven.class.getName());
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, new ArrayList<>())) {
      assertEquals(List.of(), live.atWork());
      final long handled = live.handledSignals();

      jcmd(jvm, live, "JFR.start", "name=one", "+stackweave.NativeSample#interval=20ms");
      awaitInterval(live, 20, "one");
      assertNotEquals(List.of(), live.atWork(), "the look that finds nothing later");

      String address = live.jmxAddress();
      try (JMXConnector jmx = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
        byJmx(live, jmx.getMBeanServerConnection());
        configureDumpAndCheck(jmx.getMBeanServerConnection(), live);
      }
      live.tell("close", "done");
      jcmd(jvm, live, "JFR.stop", "name=one", "filename=one.jfr");
      assertStartsWith("state: dormant", live.awaitStatus("rest", s -> s.contains("dormant")));
      live.awaitNothingAtWork();
      assertEquals(handled, live.handledSignals());
      assertHasSamples(directory.resolve("one.jfr"), SAMPLES_OF_STREAM);

      byTimer(jvm, live);
      live.awaitNothingAtWork();
      assertEquals(handled, live.handledSignals());

      Ended end = live.end();
      assertEquals(0, end.exit());
      assertEquals("", end.err());
    }
  }

  /** A second recording, from afar, and a third in the application: the shortest interval wins. */
  private void byJmx(LiveJvm live, MBeanServerConnection jmx) throws Exception {
    FlightRecorderMXBean recorder =
        JMX.newMXBeanProxy(
            jmx, new ObjectName(FlightRecorderMXBean.MXBEAN_NAME), FlightRecorderMXBean.class);
    long id = recorder.newRecording();
    String name = Long.toString(id);
    // Not a word of "enabled", as in the first: JFR alone would now write for neither.
    recorder.setRecordingSettings(id, Map.of("stackweave.NativeSample#interval", "2 ms"));
    recorder.startRecording(id);
    awaitInterval(live, 2, "one", name);

    assertEquals(List.of("seen live: true"), live.tell("stream 4 ms", "done"));
    assertContains("interval: 2 ms of", live.status());

    recorder.setRecordingSettings(id, Map.of("stackweave.NativeSample#interval", "10 ms"));
    awaitInterval(live, 4, "one", name, STREAM);

    assertTrue(recorder.stopRecording(id));
    Path file = directory.resolve("jmx.jfr");
    try (OutputStream out = Files.newOutputStream(file)) {
      long stream = recorder.openStream(id, Map.of());
      for (byte[] data = recorder.readStream(stream);
          data != null;
          data = recorder.readStream(stream)) {
        out.write(data);
      }
      recorder.closeStream(stream);
    }
    recorder.closeRecording(id);
    assertHasSamples(file, SAMPLES_OF_STREAM);
    assertTrue(eventTypes(jmx).contains("stackweave.NativeSample"), "for JMC's lists");
    awaitInterval(live, 4, "one", STREAM);
    live.tell("interval 40 ms", "done");
    awaitInterval(live, 20, "one", STREAM);
  }

  /** Not by FlightRecorderMXBean: JDK 17's can't read what JDK 25's sends. */
  private static List<Object> eventTypes(MBeanServerConnection jmx) throws Exception {
    CompositeData[] types =
        (CompositeData[])
            jmx.getAttribute(new ObjectName(FlightRecorderMXBean.MXBEAN_NAME), "EventTypes");
    return Arrays.stream(types).map(type -> type.get("name")).toList();
  }

  /** Diagnostic commands as jcmd sends them, without a process for each. */
  private void configureDumpAndCheck(MBeanServerConnection jmx, LiveJvm live) throws Exception {
    Path repository = directory.resolve("repository");
    assertContains(
        repository.toString(), command(jmx, "jfrConfigure", "repositorypath=" + repository));
    Path dump = directory.resolve("dump.jfr");
    command(jmx, "jfrDump", "name=one", "filename=" + dump);
    assertHasSamples(dump, SAMPLES_OF_STREAM);
    assertContains("one", command(jmx, "jfrCheck"));
    long before = LiveJvm.samples(live.status());
    live.awaitSamples((int) before + 20);
  }

  /** The settings that are shipped, with another engine: this one has a handler to give back. */
  private void byTimer(Jvm jvm, LiveJvm live) throws Exception {
    final long handled = live.handledSignals();
    Path settings = directory.resolve("stackweave.jfc");
    jvm.commandLine(directory, "jfc", "-o", settings.toString()).successfully();
    jcmd(
        jvm,
        live,
        "JFR.start",
        "name=two",
        "filename=two.jfr",
        "settings=" + settings,
        "stackweave.NativeSample#engine=timer");
    live.awaitStatus("timers", status -> status.contains("engine: timer"));
    assertNotEquals(handled, live.handledSignals());
    assertTrue(live.atWork().stream().anyMatch(found -> found.startsWith("timer ")));
    live.awaitSamplesOf("busy", Duration.ofSeconds(1));
    jcmd(jvm, live, "JFR.stop", "name=two");
    assertHasSamples(directory.resolve("two.jfr"), 5);
  }

  private static void awaitInterval(LiveJvm live, int millis, String... recordings)
      throws Exception {
    String onDuty =
        Arrays.stream(recordings)
            .sorted()
            .collect(Collectors.joining(", ", "sampling for recording ", ""));
    live.awaitStatus(
        "interval: " + millis + " ms, " + onDuty,
        status ->
            onDuty(status).equals(onDuty) && status.contains("interval: " + millis + " ms of"));
  }

  /** For whom it says that it samples, in the order of their names. */
  private static String onDuty(String status) {
    String[] names =
        status
            .lines()
            .findFirst()
            .orElse("")
            .replaceFirst("^state: sampling for recording ", "")
            .replaceFirst("Recording Stream: [-\\w:.]+", STREAM)
            .split(", ");
    return Arrays.stream(names)
        .sorted()
        .collect(Collectors.joining(", ", "sampling for recording ", ""));
  }

  static void assertHasSamples(Path file, int atLeast) throws Exception {
    SampledRecording profile = SampledRecording.open(file);
    assertEquals(List.of(), profile.losses());
    long[] ofApplication = new long[1];
    profile.forEachStack(
        (thread, end, frames, count, weight) -> {
          if (frames.stream().anyMatch(frame -> frame.text().contains("BurnsCpu.burn"))) {
            ofApplication[0] += count;
          }
        });
    assertTrue(ofApplication[0] >= atLeast, file + ": " + ofApplication[0]);
  }

  private static String command(MBeanServerConnection jmx, String operation, String... arguments)
      throws Exception {
    return (String)
        jmx.invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"),
            operation,
            new Object[] {arguments},
            new String[] {String[].class.getName()});
  }

  private void jcmd(Jvm jvm, LiveJvm live, String... command) throws Exception {
    live.jcmd(jvm, directory, command);
  }

  private static void assertContains(String part, String whole) {
    assertTrue(whole.contains(part), whole);
  }

  private static void assertStartsWith(String part, String whole) {
    assertTrue(whole.startsWith(part), whole);
  }
}
