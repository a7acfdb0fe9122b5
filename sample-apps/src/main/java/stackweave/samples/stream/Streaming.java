package stackweave.samples.stream;

import java.time.Duration;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.jfr.EventSettings;
import jdk.jfr.consumer.RecordingStream;
import jdk.management.jfr.RemoteRecordingStream;
import stackweave.samples.work.Workers;
import stackweave.samples.zoo.JniZoo;

/**
 * {@link HotFunctions} in two ways: {@code Streaming SECONDS EVERY} of the zoo in this JVM, which
 * must have the agent, and {@code Streaming SECONDS EVERY HOST:PORT} of another JVM by JMX. Prints
 * every so many seconds.
 */
public final class Streaming {
  private Streaming() {}

  public static void main(String[] arguments) throws Exception {
    int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 60;
    Duration every = Duration.ofSeconds(arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10);
    if (arguments.length > 2) {
      remote(arguments[2], seconds, every);
    } else {
      here(seconds, every);
    }
  }

  private static void here(int seconds, Duration every) {
    try (RecordingStream stream = new RecordingStream()) {
      enable(stream.enable("stackweave.NativeSample"));
      HotFunctions.of(stream, every, System.out);
      stream.startAsync();
      Workers.run(JniZoo.workers(), seconds);
    }
  }

  @SuppressWarnings("BanJNDI") // the address is what the user gave on the command line
  private static void remote(String address, int seconds, Duration every) throws Exception {
    JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi");
    try (JMXConnector connector = JMXConnectorFactory.connect(url);
        RemoteRecordingStream stream =
            new RemoteRecordingStream(connector.getMBeanServerConnection())) {
      enable(stream.enable("stackweave.NativeSample"));
      HotFunctions.of(stream, every, System.out);
      stream.startAsync();
      stream.awaitTermination(Duration.ofSeconds(seconds));
    }
  }

  private static void enable(EventSettings settings) {
    settings.with("interval", "10 ms");
  }
}
