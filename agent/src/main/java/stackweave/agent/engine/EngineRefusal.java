package stackweave.agent.engine;

import stackweave.agent.linux.Errno;
import stackweave.jfr.control.EngineKind;

/**
 * Why an engine does not run here.
 *
 * @param engine the engine that was tried
 * @param reason one of the closed set of reasons
 * @param errno what the kernel said, or 0 where it was not asked
 * @param explanation what happened, what it means and what would lift it, for people; one line
 */
public record EngineRefusal(EngineKind engine, Reason reason, int errno, String explanation) {

  /** The reasons there are. */
  public enum Reason {
    /** The kernel's own rules forbid it to this user: perf_event_paranoid or a capability. */
    NOT_PERMITTED,
    /** A filter in front of the kernel forbids it: seccomp of a container, or a security module. */
    BLOCKED,
    /** This kernel has no such system call, or not in the kind needed. */
    ABSENT,
    /** The kernel has it, but not in a form that the engine can use. */
    UNSUPPORTED_KERNEL,
    /** The engine does not know this processor. */
    UNSUPPORTED_ARCHITECTURE,
    /** It would take too many of the application's file descriptors. */
    FILE_DESCRIPTORS,
    /** The kernel grants no memory for the rings. */
    RING_MEMORY,
    /** Events for all threads and CPUs would take more of the kernel's memory than is budgeted. */
    KERNEL_MEMORY,
    /** It works, but another engine is right here: not tried before that one. */
    NOT_PREFERRED,
    /** Every signal that the engine could use is taken. */
    NO_SIGNAL,
    /** All threads block the signals that the engine could use. */
    SIGNAL_BLOCKED,
    /** The threads' timers would take too much of the user's signal queue (RLIMIT_SIGPENDING). */
    SIGNAL_QUEUE,
    /** Another engine of the same kind runs in this process. */
    IN_USE,
    /** Not even asked for, since a seccomp filter may kill who asks. */
    NOT_TRIED
  }

  /** The refusal as one line: {@code perf: <explanation> [EACCES]}. */
  public String line() {
    return engine.label() + separator() + cause();
  }

  /** What stands between the engine's name and the cause: {@code perf not tried: …}. */
  public String separator() {
    return reason == Reason.NOT_TRIED ? " " : ": ";
  }

  /** The explanation with the kernel's answer: {@code <explanation> [EACCES]}. */
  public String cause() {
    return errno == 0 ? explanation : explanation + " [" + Errno.name(errno) + "]";
  }
}
