package stackweave.agent.cli.record;

import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetProcess;

/**
 * Makes recordings of one JVM: by an agent in it, or from outside. Chosen by {@link PlaceOption}.
 * Not thread-safe.
 */
public interface Recorder extends AutoCloseable {
  /**
   * Begins a recording. One that was begun before may still run; no sample is missing between them.
   *
   * @throws FailedException if it can't be made
   */
  RoundRecording start(RemoteRecording.Request request) throws FailedException;

  /** The process; closed with this. */
  TargetProcess process();

  @Override
  void close();
}
