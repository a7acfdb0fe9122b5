package stackweave.agent.cli.outside;

import java.io.IOException;
import java.nio.file.Path;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.jfr.control.SamplingRequest;

/**
 * Samples other processes from this one, without anything of the agent in them. Implemented by
 * module agent, since the commands must not depend on the sampler. Thread-safe.
 */
public interface OutsideSampling {
  /**
   * Why a process can't be sampled from here as requested, for the user; empty if it can. Leaves
   * nothing behind but a thread that hangs, if the process does not answer.
   */
  String whyNot(TargetProcess process, SamplingRequest request);

  /**
   * Begins to sample.
   *
   * @param jdk name and version of the process's JVM; empty if not known
   * @param file is overwritten
   * @throws IOException if the file can't be written
   */
  Session begin(TargetProcess process, String jdk, SamplingRequest request, Path file)
      throws IOException;

  /**
   * What samples many processes, by one set of events for all.
   *
   * @param request what is asked for of each: samples of CPU time
   * @throws FailedException if that is not possible here, with the reason for the user
   */
  Shared shared(SamplingRequest request) throws FailedException;

  /** Samples many processes. Thread-safe. */
  interface Shared extends OutsideSampling, AutoCloseable {
    /** Ends it; all sessions must have ended. */
    @Override
    void close();
  }

  /** The command line, which knows what samples. */
  interface Source {
    /** What samples other processes. */
    OutsideSampling outside();
  }

  /** Sampling of one process. Thread-safe. */
  interface Session extends AutoCloseable {
    /** Whether samples are taken, or the reason is known why not. */
    boolean hasStarted();

    /** Why no samples are taken; empty if they are, or that is not known yet. */
    String obstacle();

    /**
     * Why sampling has ended by itself, for the user, such as a full disk; empty if it has not.
     * Also after {@link #close}.
     */
    String endReason();

    /**
     * The samples of the present file and where most of their time was spent, in a few words; empty
     * before any.
     */
    String soFar();

    /**
     * Goes on in another file; the one before is complete then.
     *
     * @throws IOException if it can't be written
     */
    void rotate(Path file) throws IOException;

    /** What became of the samples of the present file, one topic a line. */
    String report();

    /** Ends sampling; the file is complete then. */
    @Override
    void close();
  }
}
