package stackweave.agent.cli.record;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.outside.OutsideSampling;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetJvm.Presence;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.control.SamplingRequest;

/** The option on where a JVM is sampled, and the choice if it is not given. */
public final class PlaceOption {
  @Option(
      names = "--inside",
      description =
          "Samples inside the JVM, by an agent that is attached and then detached again. Without"
              + " it, nothing is loaded into the JVM, unless an agent is there already, or sampling"
              + " from outside is not possible: a line says why.")
  private boolean inside;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  /** Whether the option is given. */
  public boolean isGiven() {
    return inside;
  }

  /** What samples from outside. */
  OutsideSampling sampling() {
    return ((OutsideSampling.Source) command.root().userObject()).outside();
  }

  /**
   * Opens a JVM for recordings, and decides where it is sampled.
   *
   * @param asked what recordings ask for
   * @throws FailedException if it can't be recorded, with the reason for the user
   */
  public Recorder open(long pid, RemoteRecording.Request asked) throws FailedException {
    OutsideSampling sampling = sampling();
    TargetProcess process = TargetProcess.open(pid);
    boolean isChosen = false;
    try {
      Recorder chosen = choose(process, asked, sampling);
      isChosen = true;
      return chosen;
    } finally {
      if (!isChosen) {
        process.close();
      }
    }
  }

  private Recorder choose(
      TargetProcess process, RemoteRecording.Request asked, OutsideSampling sampling)
      throws FailedException {
    SamplingRequest request = SamplingRequest.of("record", asked.eventSettings());
    boolean isUntouched = !inside && asked.ofJfr().isEmpty() && !process.mayHaveAgents();
    String whyNot = isUntouched ? sampling.whyNot(process, request) : null;
    if (isUntouched && whyNot.isEmpty()) {
      return new OutsideRecorder(sampling, process, null, "", request);
    }
    TargetJvm jvm = null;
    FailedException whyNoJvm = null;
    try {
      jvm = TargetJvm.attach(process);
    } catch (FailedException e) {
      if (inside || !process.isAlive()) {
        throw e;
      }
      whyNoJvm = e;
    }
    if (inside || jvm != null && jvm.presence() != Presence.NONE) {
      return new InsideRecorder(jvm);
    }
    if (whyNot == null) {
      whyNot = sampling.whyNot(process, request);
    }
    if (whyNot.isEmpty()) {
      String missing = whyNoJvm == null ? "" : FailedException.worded(whyNoJvm);
      return new OutsideRecorder(sampling, process, jvm, missing, request);
    }
    if (!process.isAlive()) {
      throw OutsideRecorder.ended(process);
    }
    if (jvm == null) {
      throw new FailedException(
          FailedException.worded(whyNoJvm) + "; and from outside it can't be sampled: " + whyNot);
    }
    CommandMessages.say("sampled from inside, by an agent: %s", whyNot);
    return new InsideRecorder(jvm);
  }
}
