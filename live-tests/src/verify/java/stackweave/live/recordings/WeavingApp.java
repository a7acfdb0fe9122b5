package stackweave.live.recordings;

import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.Deflater;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import jdk.jfr.Configuration;
import jdk.jfr.Event;
import jdk.jfr.Recording;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordingStream;
import jdk.management.jfr.FlightRecorderMXBean;
import jdk.management.jfr.RemoteRecordingStream;
import stackweave.lab.Sampling;

/**
 * A program that starts, dumps and stops recordings of all sorts while streams run, and while its
 * threads are sampled: so that JFR changes its chunk all the time. Prints what the streams saw.
 */
final class WeavingApp {
  private static final int THREADS = 2;
  private static final int DEPTH = 40;

  /** However long they take on a slow machine. */
  private static final int MIN_RECORDINGS = 6;

  /** A third of a CPU each: what is done beside them needs one, too. */
  private static final int WORK_MILLIS = 10;

  private static final int VIRTUAL_THREADS_SINCE = 21;
  private static volatile boolean ended;
  private static volatile long sink;

  private WeavingApp() {}

  /** A JFR event of many bytes, so that chunks become full. */
  static final class Filler extends Event {
    String text;
  }

  /** What a stream has seen. */
  private static final class Seen {
    private final String name;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong flushes = new AtomicLong();
    private final AtomicLong errors = new AtomicLong();
    private final AtomicLong woven = new AtomicLong();
    private final AtomicLong unwoven = new AtomicLong();

    Seen(String name, EventStream stream) {
      this.name = name;
      stream.onEvent("jdk.CPULoad", event -> events.incrementAndGet());
      stream.onEvent("stackweave.StackSample", event -> events.incrementAndGet());
      stream.onEvent("jdk.ExecutionSample", event -> woven.incrementAndGet());
      stream.onEvent(
          "stackweave.SamplerStatus", event -> unwoven.addAndGet(event.getLong("unwoven")));
      stream.onFlush(flushes::incrementAndGet);
      stream.onError(
          e -> {
            errors.incrementAndGet();
            e.printStackTrace();
          });
    }

    String text() {
      return "%s events=%d flushes=%d errors=%d woven=%d unwoven=%d"
          .formatted(name, events.get(), flushes.get(), errors.get(), woven.get(), unwoven.get());
    }
  }

  /**
   * Arguments: seconds, directory for dumps; {@code streams} for streams beside, {@code idle} for
   * neither recordings nor streams.
   */
  public static void main(String[] arguments) throws Exception {
    long seconds = Long.parseLong(arguments[0]);
    Path directory = Path.of(arguments[1]);
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(new Work(i), "work-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    if (Runtime.version().feature() >= VIRTUAL_THREADS_SINCE) {
      // By reflection, since this is compiled for JDK 17.
      Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, new Work(THREADS));
    }
    Sampling.await();
    System.out.println("sampled");
    MBeanServerConnection server = ManagementFactory.getPlatformMBeanServer();
    String how = arguments.length > 2 ? arguments[2] : "";
    if (how.equals("idle")) {
      Thread.sleep(seconds * 1_000);
    } else if (how.isEmpty()) {
      storm(seconds, directory, server);
    } else {
      try (RecordingStream local = new RecordingStream();
          RemoteRecordingStream remote = new RemoteRecordingStream(server)) {
        local.enable("jdk.CPULoad").withPeriod(Duration.ofSeconds(1));
        remote.enable("jdk.CPULoad").withPeriod(Duration.ofSeconds(1));
        Seen seenHere = new Seen("local", local);
        Seen seenThere = new Seen("remote", remote);
        local.startAsync();
        remote.startAsync();
        storm(seconds, directory, server);
        String here = seenHere.text();
        String there = seenThere.text();
        System.out.println("streams before the end: " + here + "; " + there);
        Thread.sleep(5_000);
        System.out.println("streams at the end: " + seenHere.text() + "; " + seenThere.text());
      }
    }
    ended = true;
  }

  private static void storm(long seconds, Path directory, MBeanServerConnection server)
      throws Exception {
    FlightRecorderMXBean recorder =
        JMX.newMXBeanProxy(
            server,
            new ObjectName("jdk.management.jfr:type=FlightRecorder"),
            FlightRecorderMXBean.class);
    Random random = new Random(1);
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    int number = 0;
    while (System.nanoTime() < end || number < MIN_RECORDINGS) {
      try (Recording recording = new Recording(Configuration.getConfiguration("default"))) {
        recording.disable("jdk.ExecutionSample");
        recording.disable("jdk.NativeMethodSample");
        recording.start();
        fill();
        Thread.sleep(100 + random.nextInt(600));
        if (number % 3 == 0) {
          recording.dump(directory.resolve("dump-" + number + ".jfr"));
        }
        recording.stop();
      }
      if (number % 5 == 1) {
        stream(recorder, directory.resolve("mbean-" + number + ".jfr"));
      }
      number++;
    }
    System.out.println("recordings: " + number);
  }

  private static void fill() {
    for (int i = 0; i < 1_000; i++) {
      Filler filler = new Filler();
      filler.text = "x".repeat(200) + i;
      filler.commit();
    }
  }

  /** As JDK Mission Control reads what a remote JVM has recorded. */
  private static void stream(FlightRecorderMXBean recorder, Path file) throws Exception {
    long id = recorder.takeSnapshot();
    long stream = recorder.openStream(id, null);
    try (OutputStream out = Files.newOutputStream(file)) {
      for (byte[] bytes = recorder.readStream(stream);
          bytes != null;
          bytes = recorder.readStream(stream)) {
        out.write(bytes);
      }
    }
    recorder.closeStream(stream);
    recorder.closeRecording(id);
  }

  /** Stacks of many sorts, Java and native. */
  private record Work(int number) implements Runnable {
    @Override
    public void run() {
      Random random = new Random(number);
      byte[] input = new byte[1 << 14];
      random.nextBytes(input);
      Deflater deflater = new Deflater();
      byte[] output = new byte[1 << 15];
      while (!ended) {
        long rest = System.nanoTime() + WORK_MILLIS * 1_000_000L;
        while (System.nanoTime() < rest) {
          sink += descend(random, random.nextInt(DEPTH), input, output, deflater);
        }
        LockSupport.parkNanos(2 * WORK_MILLIS * 1_000_000L);
      }
    }
  }

  private static long descend(
      Random random, int depth, byte[] input, byte[] output, Deflater deflater) {
    if (depth > 0) {
      return random.nextBoolean()
          ? left(random, depth - 1, input, output, deflater)
          : right(random, depth - 1, input, output, deflater);
    }
    deflater.reset();
    deflater.setInput(input);
    deflater.finish();
    return deflater.deflate(output);
  }

  private static long left(
      Random random, int depth, byte[] input, byte[] output, Deflater deflater) {
    return 1 + descend(random, depth, input, output, deflater);
  }

  private static long right(
      Random random, int depth, byte[] input, byte[] output, Deflater deflater) {
    return 2 + descend(random, depth, input, output, deflater);
  }
}
