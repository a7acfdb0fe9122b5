package stackweave.agent.cli.collector;

import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.jfr.export.Protobuf;
import stackweave.jfr.export.otlp.EndpointException;
import stackweave.jfr.export.otlp.OtlpAnswer;
import stackweave.jfr.export.otlp.OtlpEndpoint;

/** Sends a profile to a collector, and says what it answers. Stateless. */
public final class Delivery {
  private Delivery() {}

  /**
   * Sends a message {@code ProfilesData}, several times if need be.
   *
   * @throws FailedException if the collector did not take all of it
   */
  public static void send(OtlpEndpoint collector, Protobuf message)
      throws FailedException, InterruptedException {
    OtlpAnswer answer;
    try {
      answer = collector.send(message);
    } catch (EndpointException e) {
      throw new FailedException(FailedException.worded(e));
    }
    if (answer.rejected() > 0) {
      throw new FailedException(
          collector.uri() + " rejected " + answer.rejected() + " profiles: " + answer.message());
    }
    if (!answer.message().isEmpty()) {
      System.err.println(
          "stackweave: " + collector.uri() + " says: " + Plain.line(answer.message()));
    }
  }
}
