package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.samples.stream.Streaming;
import stackweave.samples.zoo.JniZoo;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** The example of a stream, of another program by JMX. */
class StreamingFromElsewhereIT {

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void fromElsewhere(Jdk jdk) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String server = "-Dcom.sun.management.jmxremote.";
    RunningCommand program =
        Jvms.ofSamples(jdk)
            .agent()
            .options(
                server + "port=" + port,
                server + "host=127.0.0.1",
                server + "authenticate=false",
                server + "ssl=false",
                "-Djava.rmi.server.hostname=127.0.0.1")
            .start(JniZoo.class.getName(), StreamingIT.SECONDS);
    RunningCommand reader = null;
    try {
      awaitPort(port);
      reader =
          Jvms.ofSamples(jdk)
              .start(Streaming.class.getName(), StreamingIT.SECONDS, "2", "127.0.0.1:" + port);
      StreamingIT.awaitFunctions(reader);
    } finally {
      program.kill();
      if (reader != null) {
        reader.kill();
      }
    }
  }

  private static void awaitPort(int port) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (System.nanoTime() < end) {
      try (Socket socket = new Socket("127.0.0.1", port)) {
        assertTrue(socket.isConnected());
        return;
      } catch (ConnectException e) {
        Thread.sleep(50); // the program has not come so far
      }
    }
    throw new AssertionError("nobody listens on " + port);
  }
}
