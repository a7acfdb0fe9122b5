package stackweave.engine.perf.event;

import java.io.File;
import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusal.Reason;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.linux.Errno;

/** Why an event that was asked for can't be sampled here, in words for users. Stateless. */
public final class EventRefusals {
  private EventRefusals() {}

  /**
   * perf_event_open refused the event.
   *
   * @param refusal as of an event of CPU time
   */
  public static EngineRefusedException open(SampledEvent event, EngineRefusal refusal) {
    String why =
        switch (refusal.errno()) {
          case Errno.ENOENT, Errno.ENODEV, Errno.EOPNOTSUPP -> absent(event);
          case Errno.EINVAL -> "this kernel does not accept it with a copy of registers and stack";
          default -> refusal.explanation();
        };
    return new EngineRefusedException(
        refusal.engine(), refusal.reason(), refusal.errno(), line(event, why));
  }

  private static String absent(SampledEvent event) {
    return event.kind() == SampledEvent.Kind.HARDWARE
        ? "this machine has no counter of the processor for it, as most virtual machines;"
            + " software events, tracepoints and functions work there"
        : "this kernel does not have it";
  }

  static EngineRefusedException unknown(EngineKind engine, SampledEvent event) {
    return refused(
        engine, Reason.ABSENT, event, "there is none of this name: " + SampledEvent.SYNTAX);
  }

  /** Engines of CPUs and timers count nothing but CPU time. */
  public static EngineRefusal notBy(EngineKind engine, SampledEvent event) {
    return refused(engine, Reason.ABSENT, event, "it is sampled by perf-thread alone").refusal();
  }

  /** What happens in the kernel is not seen from user mode. */
  public static EngineRefusedException notInUserMode(EngineKind engine, SampledEvent event) {
    return refused(
        engine,
        Reason.NOT_PERMITTED,
        event,
        "it needs root, CAP_PERFMON or kernel.perf_event_paranoid <= 1 (tracepoints and functions:"
            + " root or CAP_PERFMON)");
  }

  static EngineRefusedException noTracefs(
      EngineKind engine, SampledEvent event, String directory, boolean readable) {
    return refused(
        engine,
        Reason.ABSENT,
        event,
        readable
            ? "tracepoints need tracefs, and there is none in "
                + directory
                + "; `mount -t tracefs tracefs "
                + directory
                + "` lifts it"
            : "this user may not read " + directory + ", which has the tracepoints; root may");
  }

  static EngineRefusedException noTracepoint(EngineKind engine, SampledEvent event) {
    return refused(
        engine,
        Reason.ABSENT,
        event,
        "this kernel has no such tracepoint (a function's library has .so or / in its name)");
  }

  static EngineRefusedException unreadable(EngineKind engine, SampledEvent event, File directory) {
    return refused(
        engine, Reason.NOT_PERMITTED, event, "this user may not read " + directory + "; root may");
  }

  static EngineRefusedException noUprobes(EngineKind engine, SampledEvent event) {
    return refused(
        engine,
        Reason.ABSENT,
        event,
        "this kernel has no uprobes; one built with CONFIG_UPROBE_EVENTS has");
  }

  static EngineRefusedException notMapped(EngineKind engine, SampledEvent event) {
    return refused(
        engine,
        Reason.NOT_MAPPED,
        event,
        "the process has not mapped a library " + event.group() + "; it is looked for again");
  }

  static EngineRefusedException noFunction(EngineKind engine, SampledEvent event, String path) {
    return refused(engine, Reason.ABSENT, event, path + " has no function " + event.member());
  }

  static EngineRefusedException unreadableLibrary(
      EngineKind engine, SampledEvent event, String why) {
    return refused(engine, Reason.ABSENT, event, event.group() + " can't be read (" + why + ")");
  }

  /** The kernel puts a probe into a file, and takes the one that has the name now. */
  static EngineRefusedException deletedLibrary(EngineKind engine, SampledEvent event, String path) {
    return refused(
        engine,
        Reason.ABSENT,
        event,
        path + " was deleted or replaced after it was loaded, so no probe can be put into it");
  }

  static EngineRefusedException notOneLibrary(
      EngineKind engine, SampledEvent event, String one, String other) {
    return refused(
        engine,
        Reason.ABSENT,
        event,
        "there are " + one + " and " + other + ": say which by its path");
  }

  private static EngineRefusedException refused(
      EngineKind engine, Reason reason, SampledEvent event, String why) {
    return new EngineRefusedException(engine, reason, 0, line(event, why));
  }

  private static String line(SampledEvent event, String why) {
    return "event " + event.name() + ": " + why;
  }
}
