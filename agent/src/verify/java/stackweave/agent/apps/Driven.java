package stackweave.agent.apps;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingStream;

/**
 * Works, and streams its own samples as told on its input: {@code stream TIME} (with that
 * interval), {@code interval TIME} (another one), {@code close}.
 */
public final class Driven {
  private static final String EVENT = "stackweave.NativeSample";
  private static final int SAMPLES = 50;

  private Driven() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Thread busy = new Thread(() -> BurnsCpu.burn(() -> false), "busy");
    busy.setDaemon(true);
    busy.start();
    System.out.println("ready");
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    RecordingStream stream = new RecordingStream();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.startsWith("stream ")) {
        CountDownLatch seen = new CountDownLatch(SAMPLES);
        stream.enable(EVENT).with("interval", line.substring("stream ".length()));
        stream.onEvent(
            "stackweave.StackSample",
            event -> {
              // Of the program's own thread, and not of the JVM's.
              RecordedThread thread = event.getThread("sampledThread");
              if (thread != null && busy.getName().equals(thread.getJavaName())) {
                seen.countDown();
              }
            });
        stream.startAsync();
        System.out.println("seen live: " + seen.await(5, TimeUnit.MINUTES));
      } else if (line.startsWith("interval ")) {
        stream.enable(EVENT).with("interval", line.substring("interval ".length()));
      } else {
        stream.close();
      }
      System.out.println("done");
    }
  }
}
