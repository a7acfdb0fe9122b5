package stackweave.agent.cli.record;

import java.io.IOException;
import java.nio.file.Path;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.outside.OutsideSampling;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.control.SamplingRequest;
import stackweave.linux.Descriptor;

/**
 * Samples the JVM from this process, and has JFR record its own events there. Nothing of the agent
 * is in the JVM.
 */
final class OutsideRecorder implements Recorder {
  private static final long MIN_ROOM = 8 << 20;

  private final OutsideSampling sampling;
  private final TargetProcess process;

  /** Null if it can't be attached to. */
  private final TargetJvm jvm;

  private final SamplingRequest request;

  /** Why it can't be attached to; empty if it can. */
  private final String whyNoJvm;

  /** Why JFR's own events are missing, as said last. */
  private String said = "";

  /** Null before the first recording, and after the last. */
  private OutsideSampling.Session session;

  /** The file that the session writes. */
  private Descriptor current;

  /** The sampler's last report, after the session's end. */
  private String report = "";

  /** As {@link #endReason()} says, after the session's end. */
  private String endReason = "";

  /**
   * @param process closed with this
   * @param jvm null if it can't be attached to
   * @param whyNoJvm why it can't; empty if it can
   */
  OutsideRecorder(
      OutsideSampling sampling,
      TargetProcess process,
      TargetJvm jvm,
      String whyNoJvm,
      SamplingRequest request) {
    this.sampling = sampling;
    this.process = process;
    this.jvm = jvm;
    this.whyNoJvm = whyNoJvm;
    this.request = request;
  }

  @Override
  public RoundRecording start(RemoteRecording.Request asked) throws FailedException {
    mustHaveRoom();
    // First: it takes seconds on a busy machine, and what it has the JVM do would be sampled.
    RemoteRecording events = startEvents(asked.ofJfr());
    Descriptor file = null;
    boolean begun = false;
    try {
      file = Output.temporary(temporary());
      if (session == null) {
        session = sampling.begin(process, jvm == null ? "" : jvm.version(), request, file.path());
      } else {
        session.rotate(file.path());
      }
      current = file;
      begun = true;
      return new OutsideRecording(this, events, file);
    } catch (IOException e) {
      if (!process.isAlive()) {
        throw ended(process);
      }
      throw Output.cantWrite(temporary(), e);
    } finally {
      if (!begun && file != null) {
        file.close();
      }
      if (!begun && events != null) {
        events.discard();
      }
    }
  }

  /**
   * The types of the events come from a recording of this JVM, and on a full disk JFR ends a JVM.
   */
  private static void mustHaveRoom() throws FailedException {
    if (temporary().toFile().getUsableSpace() < MIN_ROOM) {
      throw new FailedException(
          "no room for samples in %s: have 8 MiB free there, or have them elsewhere by java"
              + " -Djava.io.tmpdir=DIRECTORY",
          temporary());
    }
  }

  /** The directory for the files that are written meanwhile. */
  static Path temporary() {
    return Path.of(System.getProperty("java.io.tmpdir"));
  }

  /** Has JFR record its own events; null if none are asked for, or that is not possible. */
  private RemoteRecording startEvents(RemoteRecording.Request asked) throws FailedException {
    if (asked.isEmpty()) {
      return null;
    }
    String why = whyNoJvm;
    if (jvm != null) {
      try {
        return RemoteRecording.start(jvm, asked);
      } catch (RemoteRecording.NoSettingsException e) {
        throw e;
      } catch (FailedException e) {
        if (!process.isAlive()) {
          throw e;
        }
        why = FailedException.worded(e);
      }
    }
    if (!why.equals(said)) {
      said = why;
      sayWithoutEvents(why);
    }
    return null;
  }

  static FailedException ended(TargetProcess process) {
    return new FailedException("the program %s has ended", process.pid());
  }

  static void sayWithoutEvents(String why) {
    CommandMessages.say("only samples are recorded, and JFR's own events are missing: %s", why);
  }

  /** The session; null after its end. */
  OutsideSampling.Session session() {
    return session;
  }

  /** Completes the file of a recording: ends sampling, unless a later one goes on with it. */
  void complete(Descriptor file) {
    if (file == current && session != null) {
      session.close();
      report = session.report();
      endReason = session.endReason();
      session = null;
    }
  }

  /** Why sampling has ended by itself, for the user; empty if it has not. */
  String endReason() {
    return session == null ? endReason : session.endReason();
  }

  /** The sampler's report on the last file, which is complete. */
  String report() {
    return report;
  }

  @Override
  public TargetProcess process() {
    return process;
  }

  @Override
  public void close() {
    if (session != null) {
      session.close();
    }
    process.close();
  }
}
