package stackweave.engine.perf.event;

import stackweave.engine.EngineRefusal;
import stackweave.engine.EngineRefusedException;
import stackweave.jfr.control.SampledEvent;
import stackweave.linux.Errno;

/** Why the kernel refuses an event other than CPU time, in words for users. Stateless. */
public final class EventRefusals {
  private EventRefusals() {}

  /**
   * perf_event_open refused the event.
   *
   * @param refusal the refusal as for CPU time
   */
  public static EngineRefusedException open(SampledEvent event, EngineRefusal refusal) {
    String why =
        switch (refusal.errno()) {
          case Errno.ENOENT, Errno.ENODEV, Errno.EOPNOTSUPP -> absent(event);
          case Errno.EINVAL -> "this kernel does not accept it with a copy of registers and stack";
          default -> refusal.explanation();
        };
    return new EngineRefusedException(
        refusal.engine(), refusal.reason(), refusal.errno(), "event " + event.name() + ": " + why);
  }

  private static String absent(SampledEvent event) {
    return event.kind() == SampledEvent.Kind.HARDWARE
        ? "this machine has no counter of the processor for it, as most virtual machines;"
            + " software events, tracepoints and functions work there"
        : "this kernel does not have it";
  }
}
