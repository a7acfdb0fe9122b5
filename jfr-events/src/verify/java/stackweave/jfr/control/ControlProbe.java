package stackweave.jfr.control;

import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.ObjectName;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingStream;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.store.EventStore;

/**
 * Does what people and libraries do with recordings, and prints after each step what the control
 * said: {@code step: answers}. As an agent it only begins to watch, as ours does.
 */
public final class ControlProbe {
  private static final List<String> ANSWERS = Collections.synchronizedList(new ArrayList<>());

  /** That a request is about to come. */
  private static final String FIRST = "first";

  private static boolean isExplicit;

  private ControlProbe() {}

  /** Steps, from inside a class loader that knows no class path, as the agent's. */
  public static void main(String[] args) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String path : System.getProperty("java.class.path").split(":")) {
      urls.add(Path.of(path).toUri().toURL());
    }
    ClassLoader isolated =
        new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    isolated
        .loadClass(ControlProbe.class.getName())
        .getMethod("steps", boolean.class, String.class)
        .invoke(null, args[0].equals("explicit"), args[1]);
  }

  /** Watches from premain on; the steps are those of the command line. */
  public static void premain(String options, Instrumentation instrumentation) throws Exception {
    com.sun.management.OperatingSystemMXBean system =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = system.getProcessCpuTime();
    watch(false);
    System.out.println("premainCpuMicros=" + (system.getProcessCpuTime() - before) / 1_000);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> System.out.println("at the end: " + answers())));
  }

  private static SamplingControl watch(boolean explicitOnly) {
    SamplingControl control =
        new SamplingControl(explicitOnly, SamplingDefaults.STANDARD, new Answers(), null);
    control.start();
    return control;
  }

  private static final class Answers implements SamplingListener {
    @Override
    public void onFirstAsked() {
      ANSWERS.add(FIRST);
    }

    @Override
    public void onRequest(SamplingRequest request) {
      ANSWERS.add(request == null ? "none" : text(request));
    }
  }

  private static String text(SamplingRequest request) {
    return Timespans.format(request.intervalNanos())
        + "/"
        + request.engine()
        + "/"
        + request.depth()
        + (request.inMemory() ? "/memory" : "")
        + (request.valueOf(SampledFeature.WAITING) > 0
            ? "/waiting " + Timespans.format(request.valueOf(SampledFeature.WAITING))
            : "")
        + (request.valueOf(SampledFeature.BLOCKED) > 0
            ? "/blocked " + Timespans.format(request.valueOf(SampledFeature.BLOCKED))
            : "")
        + " for "
        + request.recordings().size();
  }

  /**
   * The body of {@link #main}: {@code several} recordings, or one at a time, by their {@code kind}.
   */
  public static void steps(boolean explicitOnly, String part) throws Exception {
    isExplicit = explicitOnly;
    switch (part) {
      case "several" -> several(watch(explicitOnly));
      case "kind" -> kinds(watch(explicitOnly));
      default -> throw new IllegalArgumentException(part);
    }
  }

  private static void several(SamplingControl control) throws Exception {
    step("nothing", Expected.NOTHING, () -> {});
    step("threads before", Expected.ANSWER, () -> ANSWERS.add(ourThreads()));
    RecordingStream stream = new RecordingStream();
    step(
        "stream",
        Expected.NOTHING,
        () -> {
          stream.enable("jdk.CPULoad").withPeriod(Duration.ofMillis(100));
          stream.startAsync();
        });
    Recording library = new Recording();
    step("library", Expected.NOTHING, library::start);
    Recording mine = new Recording(Configuration.getConfiguration("default"));
    step(
        "named",
        Expected.ANSWER_UNLESS_EXPLICIT,
        () -> {
          mine.setName("mine");
          mine.start();
        });
    step("dump", Expected.NOTHING, () -> delete(dump(mine)));
    step("faster", Expected.ANSWER, () -> mine.setSettings(settings("interval", "2 ms")));
    Recording second = new Recording();
    step(
        "second",
        Expected.ANSWER,
        () -> {
          second.setName("second");
          second.setSettings(settings("interval", "500 us"));
          second.start();
        });
    step("deeper", Expected.ANSWER, () -> second.setSettings(settings("depth", "6000")));
    step("second off", Expected.ANSWER, () -> second.setSettings(settings("enabled", "false")));
    step("second stops", Expected.NOTHING, second::stop);
    step("mine off", Expected.ANSWER, () -> mine.setSettings(settings("enabled", "false")));
    step("mine on", Expected.ANSWER, () -> mine.setSettings(settings("enabled", "true")));
    step("mine closes", Expected.ANSWER, mine::close);
    step("library asks", Expected.ANSWER, () -> library.enable("stackweave.NativeSample"));
    step("library closes", Expected.ANSWER, library::close);
    step("stream asks", Expected.ANSWER, () -> stream.enable("stackweave.NativeSample"));
    step("stream closes", Expected.ANSWER, stream::close);
    control.close();
  }

  private static void kinds(SamplingControl control) throws Exception {
    Recording waits = new Recording();
    step(
        "waits",
        Expected.ANSWER,
        () -> {
          waits.setSettings(Map.of("stackweave.WallSample#interval", "5 ms"));
          waits.start();
        });
    // JFR has the one event on by default and the other off: both must be written. The first
    // request
    // comes before the events are registered, and so before settings are completed.
    step(
        "waits writes",
        Expected.ANSWER,
        () -> {
          for (int look = 0; waits.getSettings().size() < 3 && look < 500; look++) {
            Thread.sleep(10);
          }
          ANSWERS.add(new TreeMap<>(waits.getSettings()).toString().replace("stackweave.", ""));
        });
    step(
        "waits less",
        Expected.ANSWER,
        () -> waits.setSettings(Map.of("stackweave.WallSample#interval", "50 ms")));
    step(
        "waits no more",
        Expected.ANSWER,
        () ->
            waits.setSettings(
                Map.of(
                    "stackweave.WallSample#enabled",
                    "false",
                    "stackweave.NativeSample#enabled",
                    "true")));
    step("waits closes", Expected.ANSWER, waits::close);
    Expected ofKind = Expected.ANSWER_UNLESS_EXPLICIT;
    step("command", ofKind, () -> command("jfrStart", new String[0]));
    step("command stops", ofKind, ControlProbe::stopAll);
    Recording memory = new Recording();
    step(
        "memory",
        ofKind,
        () -> {
          memory.setName("memory");
          memory.setToDisk(false);
          memory.start();
        });
    step("memory closes", ofKind, memory::close);
    Path file = Files.createTempFile("stackweave-probe", ".jfr");
    Recording destination = new Recording();
    step(
        "destination",
        ofKind,
        () -> {
          destination.setDestination(file);
          destination.start();
        });
    step("destination closes", ofKind, destination::close);
    // As a detached agent that is attached again.
    control.close();
    EventStore.unregisterEvents();
    watch(isExplicit);
    Recording again = new Recording();
    step(
        "watched again",
        ofKind,
        () -> {
          again.setDestination(file);
          again.start();
        });
    step("again closes", ofKind, again::close);
    delete(file);
    step("threads after", Expected.ANSWER, () -> ANSWERS.add(ourThreads()));
  }

  static boolean hasAnswered() {
    synchronized (ANSWERS) {
      return ANSWERS.stream().anyMatch(answer -> !answer.equals(FIRST));
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  /** What is printed tells whether it was right; this, how long to wait for it. */
  private enum Expected {
    ANSWER,
    ANSWER_UNLESS_EXPLICIT,
    NOTHING
  }

  private static void step(String name, Expected expected, Step step) throws Exception {
    ANSWERS.clear();
    step.run();
    boolean isAnswered =
        expected == Expected.ANSWER || expected == Expected.ANSWER_UNLESS_EXPLICIT && !isExplicit;
    // That nothing comes is known after the period of the slowest way in which changes are noticed.
    int most = isAnswered ? 600 : 15;
    for (int i = 0; i < most && !hasAnswered(); i++) {
      Thread.sleep(100);
    }
    Thread.sleep(250); // until quiet
    System.out.println(name + ": " + answers());
  }

  private static String answers() {
    synchronized (ANSWERS) {
      return String.join(", ", ANSWERS);
    }
  }

  private static Map<String, String> settings(String name, String value) {
    return Map.of("stackweave.NativeSample#" + name, value);
  }

  private static Path dump(Recording recording) throws Exception {
    Path file = Files.createTempFile("stackweave-probe", ".jfr");
    recording.dump(file);
    return file;
  }

  private static void delete(Path file) throws Exception {
    Files.deleteIfExists(file);
  }

  private static void command(String operation, String[] arguments) throws Exception {
    ManagementFactory.getPlatformMBeanServer()
        .invoke(
            new ObjectName("com.sun.management:type=DiagnosticCommand"),
            operation,
            new Object[] {arguments},
            new String[] {String[].class.getName()});
  }

  private static void stopAll() {
    for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
      recording.close();
    }
  }

  private static String ourThreads() throws InterruptedException {
    // The control thread ends when nothing has happened for a second.
    for (int i = 0; i < 1_200 && !ourThreadsNow().isEmpty(); i++) {
      Thread.sleep(100);
    }
    return ourThreadsNow().toString();
  }

  private static List<String> ourThreadsNow() {
    List<String> names = new ArrayList<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("stackweave")) {
        names.add(thread.getName());
      }
    }
    return names;
  }
}
