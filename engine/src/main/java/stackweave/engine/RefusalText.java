package stackweave.engine;

import java.util.Locale;
import stackweave.engine.EngineRefusal.Reason;
import stackweave.jfr.control.EngineKind;

/**
 * The texts for users on why an engine can't run: what happened, what it means and what would help.
 * Texts on events begin with the event's name.
 */
public enum RefusalText {
  /** There is no engine of perf events for this processor. */
  PERF_ARCHITECTURE(
      Reason.UNSUPPORTED_ARCHITECTURE,
      "no perf engine for this processor; x86-64 and AArch64 have one"),

  /** perf_event_open is refused though the kernel has it. */
  PERF_BLOCKED(
      Reason.BLOCKED,
      "a filter in front of the kernel refuses perf_event_open (seccomp of a container, or a"
          + " security module); a seccomp profile that allows perf_event_open, or %s for the"
          + " container, lifts it"),

  /** The kernel has no perf_event_open. */
  PERF_ABSENT(
      Reason.ABSENT,
      "this kernel has no perf_event_open with cpu-clock events; a kernel built with"
          + " CONFIG_PERF_EVENTS has"),

  /** The kernel does not accept the event of CPU time. */
  PERF_UNSUPPORTED(
      Reason.UNSUPPORTED_KERNEL,
      "this kernel does not accept the event that samples registers and stack; Linux 4.8 and later"
          + " do"),

  /** kernel.perf_event_paranoid allows what is refused. */
  PERF_POLICY(
      Reason.BLOCKED,
      "a security module (such as SELinux) refuses perf_event_open, for kernel.perf_event_paranoid"
          + " is %d and would allow it; a policy that allows perf_event lifts it"),

  /** kernel.perf_event_paranoid forbids it. Details: what, its value, and what lifts it. */
  PERF_PARANOID(
      Reason.NOT_PERMITTED, "this user may not %s (kernel.perf_event_paranoid is %s); %s lifts it"),

  /** The kernel has no memory for events. */
  PERF_NO_MEMORY(Reason.RING_MEMORY, "the kernel has no memory for the events"),

  /** Samples of CPUs can't be restricted to this process: why not. */
  PERF_NO_FILTER(Reason.NOT_PERMITTED, "samples of CPUs would be those of all processes: %s"),

  /** Other namespaces of pids lack ids of processes that are to be sampled. */
  PERF_NOT_FIRST_NAMESPACE(
      Reason.NOT_PERMITTED,
      "many processes are sampled from the machine's own pid namespace only: run this outside of"
          + " containers, or in one with that namespace (hostPID: true, --pid=host)"),

  /** The program has no room for another process. */
  PERF_TOO_MANY_PROCESSES(Reason.RING_MEMORY, "more than %d processes are not sampled at a time"),

  /** Samples have ids of this process's namespace, and the filter knows no other. */
  PERF_NAMESPACE(
      Reason.NOT_PERMITTED,
      "the process has its ids in another pid namespace than this one, which only the machine's own"
          + " sees; a command in the machine's pid namespace, or in the process's, lifts it"),

  /** Signals and events of threads are for the own process. */
  OWN_PROCESS_ONLY(
      Reason.ABSENT, "it samples its own process alone; another one is sampled by perf"),

  /** All CPUs are without ticks. */
  PERF_WITHOUT_TICKS(
      Reason.UNSUPPORTED_KERNEL,
      "all CPUs of this process are to run without ticks (nohz_full), which an event would end"),

  /** Even the smallest rings of so many CPUs are too large together. */
  PERF_TOO_MANY_CPUS(
      Reason.RING_MEMORY, "rings of %d CPUs would take more than 64 MiB of the kernel's memory"),

  /** The kernel grants no ring, not even of the smallest size. */
  PERF_RING_MEMORY(
      Reason.RING_MEMORY,
      "the kernel grants no memory for %d rings of %d KiB; a larger kernel.perf_event_mlock_kb or"
          + " RLIMIT_MEMLOCK (ulimit -l), or CAP_IPC_LOCK lifts it"),

  /** The file descriptors allowed are fewer than threads × CPUs. */
  PERF_BUDGET_OF_DESCRIPTORS(
      Reason.FILE_DESCRIPTORS,
      "%d threads on %d CPUs need %d file descriptors, and more than %d would be taken from the"
          + " application; %s"),

  /** Events for all threads and CPUs would take more than half of the budget. */
  PERF_KERNEL_MEMORY(
      Reason.KERNEL_MEMORY,
      "%d threads on %d CPUs need %d MiB of the kernel's memory for events, and the budget is %d"
          + " MiB, of which three quarters are left free for threads to come; a larger one (option"
          + " perf-memory) lifts it"),

  /** It ended because of its budget a short time ago. */
  PERF_ENDED_LATELY(
      Reason.KERNEL_MEMORY,
      "threads became so many, or were started so often, that events for each of them on %d CPUs"
          + " cost too much (budget: %d MiB of the kernel's memory, a tenth of a core for thread"
          + " starts); it is tried again when they have been few for a while"),

  /** No file descriptor is left. */
  PERF_OUT_OF_DESCRIPTORS(
      Reason.FILE_DESCRIPTORS,
      "no file descriptor is left for the events; a higher limit of open files (%s) lifts it"),

  /** The kernel's records of switches don't say which threads were preempted. */
  PERF_SWITCHES(
      Reason.UNSUPPORTED_KERNEL,
      "this kernel does not record whether a thread that leaves a CPU is blocked; Linux 4.17 and"
          + " later do"),

  /** The kernel does not say what the process's clock adds to that of the records. */
  PERF_CLOCK(
      Reason.UNSUPPORTED_KERNEL,
      "what this time namespace adds to the machine's clock can't be read from"
          + " /proc/self/timens_offsets, so the time of samples can't be told; a JVM that is started"
          + " within its namespace (unshare --time --fork) can read it"),

  /** There is no event of this name. */
  EVENT_UNKNOWN(Reason.ABSENT, "event %s: there is none of this name: %s"),

  /** Engines of CPUs and timers count nothing but CPU time. */
  EVENT_NOT_BY_ENGINE(Reason.ABSENT, "event %s: it is sampled by perf-thread alone"),

  /** What happens in the kernel is not seen from user mode. */
  EVENT_NOT_IN_USER_MODE(
      Reason.NOT_PERMITTED,
      "event %s: it needs root, CAP_PERFMON or kernel.perf_event_paranoid <= 1 (tracepoints and"
          + " functions: root or CAP_PERFMON)"),

  /** There is no tracefs. */
  EVENT_NO_TRACEFS(
      Reason.ABSENT,
      "event %s: tracepoints need tracefs, and there is none in %s; `mount -t tracefs tracefs %2$s`"
          + " lifts it"),

  /** A file or directory of tracefs can't be read. */
  EVENT_UNREADABLE(
      Reason.NOT_PERMITTED,
      "event %s: this user may not read %s, which has the tracepoints; root may"),

  /** There is no such tracepoint. */
  EVENT_NO_TRACEPOINT(
      Reason.ABSENT,
      "event %s: this kernel has no such tracepoint (a function's library has .so or / in its"
          + " name)"),

  /** The kernel can't place breakpoints. */
  EVENT_NO_UPROBES(
      Reason.ABSENT,
      "event %s: this kernel has no uprobes; one built with CONFIG_UPROBE_EVENTS has"),

  /** A thread of another process could not inherit the event, and would not start. */
  EVENT_OF_OWN_PROCESS(
      Reason.ABSENT,
      "event %s: calls of a function are sampled in the own process alone, by the agent inside"),

  /** The library with the function is not mapped. */
  EVENT_NOT_MAPPED(
      Reason.NOT_MAPPED,
      "event %s: the process has not mapped a library %s; it is looked for again"),

  /** The library has no such function. */
  EVENT_NO_FUNCTION(Reason.ABSENT, "event %s: %s has no function %s"),

  /** The library's file can't be read: why not. */
  EVENT_UNREADABLE_LIBRARY(Reason.ABSENT, "event %s: %s can't be read (%s)"),

  /** The kernel puts a probe into a file, and takes the one that has the name now. */
  EVENT_DELETED_LIBRARY(
      Reason.ABSENT,
      "event %s: %s was deleted or replaced after it was loaded, so no probe can be put into it"),

  /** There are two libraries of one name. */
  EVENT_NOT_ONE_LIBRARY(Reason.ABSENT, "event %s: there are %s and %s: say which by its path"),

  /** There is no handler for this processor. */
  TIMER_ARCHITECTURE(
      Reason.UNSUPPORTED_ARCHITECTURE,
      "no signal handler for this processor; x86-64 and AArch64 have one"),

  /** Another timer engine runs in this process. */
  TIMER_IN_USE(
      Reason.IN_USE, "another timer engine runs in this process; it runs when that has ended"),

  /** The kernel grants no memory for the ring. */
  TIMER_MEMORY(
      Reason.RING_MEMORY,
      "the kernel grants no memory for the ring (4 MiB at least); a higher limit of address space or"
          + " memory, or of what may be committed (vm.overcommit_memory, vm.overcommit_ratio), lifts"
          + " it"),

  /** The handler can't be mapped executable. */
  TIMER_EXECUTABLE(
      Reason.BLOCKED,
      "a security module refuses to map the signal handler executable (mmap of a sealed memory"
          + " file, or mprotect); a policy that allows execute on the JVM's own memory files"
          + " (SELinux: execute on tmpfs_t or memfd files) lifts it"),

  /** The signal's handler can't be installed. */
  TIMER_SIGNAL(Reason.BLOCKED, "the handler of signal %d can't be set"),

  /** Every usable signal has a handler already. */
  TIMER_NO_SIGNAL(
      Reason.NO_SIGNAL,
      "every real-time signal and SIGPROF has a handler already; one that is left free lifts it"),

  /** A library's code has its stack pointer where a signal would overwrite data. */
  TIMER_LIBRARY(
      Reason.NO_ROOM_FOR_SIGNALS,
      "%s generates code that runs with its stack pointer in its own buffers, where a signal"
          + " overwrites memory of the application; a perf engine sends none"),

  /** The signal queue, in which every timer takes a place, is too short for the threads. */
  TIMER_SIGNAL_QUEUE(
      Reason.SIGNAL_QUEUE,
      "%d threads need as many timers, and more than %d would take over half of the signal queue"
          + " that this user has left; a higher limit of pending signals (ulimit -i) lifts it"),

  /** No thread can take the signal, and no other signal is blocked by fewer. */
  TIMER_SIGNAL_BLOCKED(
      Reason.SIGNAL_BLOCKED,
      "all %d threads block signal %d and every other that is free; a JVM that is started with an"
          + " empty signal mask lifts it (a parent that blocks all signals hands its mask down)"),

  /** timer_create is refused though the kernel has it. */
  TIMER_REFUSED(
      Reason.BLOCKED,
      "timer_create is refused (seccomp of a container, or a security module); a profile that"
          + " allows timer_create, timer_settime and timer_delete lifts it"),

  /** The kernel has no timer_create. */
  TIMER_ABSENT(
      Reason.ABSENT, "this kernel has no timer_create; one built with CONFIG_POSIX_TIMERS has"),

  /** The kernel has no timers on the clocks of threads. */
  TIMER_UNSUPPORTED(
      Reason.UNSUPPORTED_KERNEL,
      "this kernel grants no timer on a thread's CPU clock; Linux 2.6.12 and later do"),

  /** The list of threads can't be read. */
  TIMER_TASKS(
      Reason.ABSENT,
      "/proc/self/task, which lists the threads, can't be read; a mounted /proc lifts it");

  private final Reason reason;
  private final String text;

  RefusalText(Reason reason, String text) {
    this.reason = reason;
    this.text = text;
  }

  /**
   * The refusal of an engine.
   *
   * @param errno the kernel's answer, or 0 if it was not asked
   * @param details in the order of the text
   */
  public EngineRefusedException of(EngineKind engine, int errno, Object... details) {
    return new EngineRefusedException(
        engine, reason, errno, String.format(Locale.ROOT, text, details));
  }
}
