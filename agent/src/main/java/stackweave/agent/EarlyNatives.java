package stackweave.agent;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import stackweave.agent.drain.limit.Room;
import stackweave.linux.DaemonThread;
import stackweave.linux.NativeAccess;

/**
 * Loads JNA on a thread of its own while JFR starts, if the command line starts a recording: on
 * busy CPUs the first sample comes 0.1 s earlier, on very busy ones more. Whether that recording
 * asks for samples is not known yet.
 */
final class EarlyNatives implements Runnable {
  private static final String RECORDING = "-XX:StartFlightRecording";
  private static final int MAX_BYTES = 1 << 17;

  private final Instrumentation instrumentation;

  private EarlyNatives(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** Starts the thread, if the command line or a variable of the environment has the option. */
  static void begin(Instrumentation instrumentation) {
    if (!namesRecording("/proc/self/cmdline") && !namesRecording("/proc/self/environ")) {
      return;
    }
    try {
      DaemonThread.of("stackweave-native", new EarlyNatives(instrumentation)).start();
    } catch (OutOfMemoryError e) {
      return; // no thread is left for the process: JNA is loaded when samples are asked for
    }
  }

  private static boolean namesRecording(String file) {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream(file)) {
      return new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1).contains(RECORDING);
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void run() {
    if (Room.isUnlimited(instrumentation)) {
      NativeAccess.whyNot();
    }
  }
}
