package stackweave.agent.cli.record;

import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetProcess;

/** Has the agent in the JVM sample, which is attached if it isn't there. */
final class InsideRecorder implements Recorder {
  private final TargetJvm jvm;

  /**
   * @param jvm closed with this
   */
  InsideRecorder(TargetJvm jvm) {
    this.jvm = jvm;
  }

  @Override
  public RoundRecording start(RemoteRecording.Request request) throws FailedException {
    return RemoteRecording.start(jvm, request);
  }

  @Override
  public TargetProcess process() {
    return jvm.process();
  }

  @Override
  public void close() {
    jvm.close();
  }
}
