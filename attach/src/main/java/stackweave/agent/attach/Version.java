package stackweave.agent.attach;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The agent's version, as written by the build. Thread-safe. */
public final class Version {

  private static final String FILE = "/stackweave/agent/version.txt";

  private static final String CURRENT = read();

  private Version() {}

  /** The version, such as {@code 0.9.0}. */
  public static String current() {
    return CURRENT;
  }

  private static String read() {
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
