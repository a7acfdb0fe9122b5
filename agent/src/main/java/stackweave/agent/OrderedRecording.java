package stackweave.agent;

import java.io.IOException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import stackweave.agent.attach.Order;
import stackweave.jfr.event.NativeSample;

/** The recording that the command line started in this JVM. Guarded by {@link Agent}'s lock. */
final class OrderedRecording {
  private static final String NAME = "stackweave-record";

  /** Who ordered it finishes it before this is over, or never. */
  private static final Duration GRACE = Duration.ofMinutes(1);

  private static final String NO_SETTINGS = "none";

  private final Recording recording;

  private OrderedRecording(Recording recording) {
    this.recording = recording;
  }

  /**
   * Starts it. It stops by itself after the ordered time, so that no recording runs for ever if the
   * command line dies.
   *
   * @throws IllegalArgumentException for a user, in one line
   */
  static OrderedRecording start(Order order) {
    Map<String, String> settings = new LinkedHashMap<>(configuration(order));
    settings.put(NativeSample.NAME + "#enabled", "true");
    put(settings, "interval", order.value(Order.Name.INTERVAL));
    put(settings, "engine", order.value(Order.Name.ENGINE));
    FlightRecorder.getFlightRecorder();
    Recording recording = new Recording(settings);
    recording.setName(NAME);
    recording.setDuration(
        Duration.ofMillis(Long.parseLong(order.value(Order.Name.DURATION))).plus(GRACE));
    recording.start();
    return new OrderedRecording(recording);
  }

  private static Map<String, String> configuration(Order order) {
    String name = order.value(Order.Name.SETTINGS);
    if (NO_SETTINGS.equals(name)) {
      return Map.of();
    }
    try {
      return Configuration.getConfiguration(name).getSettings();
    } catch (IOException | ParseException e) {
      throw new IllegalArgumentException(
          "that JVM has no JFR configuration '" + name + "' (default, profile, none)", e);
    }
  }

  private static void put(Map<String, String> settings, String name, String value) {
    if (value != null) {
      settings.put(NativeSample.NAME + "#" + name, value);
    }
  }

  /** Stops it and writes it to a file that must not exist yet. */
  void finish(Path file) throws IOException {
    try (recording) {
      if (recording.getState() == RecordingState.RUNNING) {
        recording.stop();
      }
      recording.dump(file);
    }
  }

  /** Gives it up. */
  void discard() {
    recording.close();
  }
}
