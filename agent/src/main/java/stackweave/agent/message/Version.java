package stackweave.agent.message;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The version of the agent, as its build wrote it. */
public final class Version {

  private static final String FILE = "/stackweave/agent/version.txt";

  private Version() {}

  /** Like {@code 0.1.0-SNAPSHOT}. */
  public static String current() {
    try (InputStream in = Version.class.getResourceAsStream(FILE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
