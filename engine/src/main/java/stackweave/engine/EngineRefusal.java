package stackweave.engine;

import stackweave.jfr.control.EngineKind;
import stackweave.linux.Errno;

/**
 * Why an engine can't run here. Immutable.
 *
 * @param engine the engine that was tried
 * @param reason the kind of reason
 * @param errno the kernel's answer, or 0 if it was not asked
 * @param explanation what happened, what it means and what would help, for users; one line
 */
public record EngineRefusal(EngineKind engine, Reason reason, int errno, String explanation) {

  /** The kinds of reasons. */
  public enum Reason {
    /** The kernel's permission rules deny it: perf_event_paranoid or a missing capability. */
    NOT_PERMITTED,
    /** A seccomp filter, as of a container, or a security module denies it. */
    BLOCKED,
    /** This kernel lacks the system call or the kind of event. */
    ABSENT,
    /** The kernel has it, but not in a form that the engine can use. */
    UNSUPPORTED_KERNEL,
    /** The engine does not know this processor. */
    UNSUPPORTED_ARCHITECTURE,
    /** It would take too many of the application's file descriptors. */
    FILE_DESCRIPTORS,
    /** The kernel grants no memory for the ring buffers. */
    RING_MEMORY,
    /** Events for all threads and CPUs would take more of the kernel's memory than is budgeted. */
    KERNEL_MEMORY,
    /** Every signal that the engine could use has a handler. */
    NO_SIGNAL,
    /** All threads block the signals that the engine could use. */
    SIGNAL_BLOCKED,
    /** The threads' timers would take too much of the user's signal queue (RLIMIT_SIGPENDING). */
    SIGNAL_QUEUE,
    /** A library runs with its stack pointer in memory that signals would overwrite. */
    NO_ROOM_FOR_SIGNALS,
    /** Another engine of the same kind runs in this process. */
    IN_USE,
    /** The library with the function that is to be sampled is not mapped yet. */
    NOT_MAPPED,
    /** Not tried, since a seccomp filter may kill the process for the call. */
    NOT_TRIED
  }

  /** The refusal as one line: {@code perf: <explanation> [EACCES]}. */
  public String line() {
    return engine.label() + separator() + cause();
  }

  /** The separator between the engine's name and the cause, as in {@code perf not tried: …}. */
  public String separator() {
    return reason == Reason.NOT_TRIED ? " " : ": ";
  }

  /** The explanation with the kernel's answer: {@code <explanation> [EACCES]}. */
  public String cause() {
    return errno == 0 ? explanation : explanation + " [" + Errno.name(errno) + "]";
  }
}
