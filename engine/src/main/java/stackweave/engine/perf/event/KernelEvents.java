package stackweave.engine.perf.event;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.FileRights;
import stackweave.linux.NativeBuffer;
import stackweave.maps.proc.PlainFiles;

/**
 * Finds the parameters of perf_event_open for an event that was asked for: a constant of the
 * kernel's interface, a tracepoint's number in tracefs, or a function's offset in a mapped file.
 * Called before an engine opens its events; stateless.
 */
public final class KernelEvents {
  private static final int TYPE_HARDWARE = 0;
  private static final int TYPE_SOFTWARE = 1;
  private static final int TYPE_TRACEPOINT = 2;

  /** PERF_COUNT_SW_* in the order of {@link SampledEvent#number}. */
  private static final long[] SOFTWARE = {2, 5, 6, 3, 4};

  /** The switches and migrations happen in the kernel, faults in user mode, too. */
  private static final int SOFTWARE_IN_USER_MODE = 3;

  private static final String UPROBE_TYPE = "/sys/bus/event_source/devices/uprobe/type";

  private KernelEvents() {}

  /**
   * The event to be opened.
   *
   * @param engine the engine that asks for it
   * @param process the one that is sampled
   * @throws EngineRefusedException if this machine, or this process, does not have the event, with
   *     the reason in one line
   */
  public static KernelEvent find(EngineKind engine, SampledEvent event, SampledProcess process)
      throws EngineRefusedException {
    return switch (event.kind()) {
      case SOFTWARE ->
          KernelEvent.of(
              TYPE_SOFTWARE, SOFTWARE[event.number()], event.number() < SOFTWARE_IN_USER_MODE);
      case HARDWARE -> KernelEvent.of(TYPE_HARDWARE, event.number(), true); // PERF_COUNT_HW_*
      case TRACEPOINT -> KernelEvent.of(TYPE_TRACEPOINT, tracepoint(engine, event, process), false);
      case UPROBE -> uprobe(engine, event);
      case UNKNOWN ->
          throw RefusalText.EVENT_UNKNOWN.of(engine, 0, event.name(), SampledEvent.SYNTAX);
      case CPU -> throw new IllegalArgumentException(event.name());
    };
  }

  /** Read with the rights of this process, also where other files are read with another's. */
  private static long tracepoint(EngineKind engine, SampledEvent event, SampledProcess process)
      throws EngineRefusedException {
    try {
      return FileRights.of(process).own(() -> tracepoint(engine, event));
    } catch (IOException e) {
      throw RefusalText.EVENT_UNREADABLE.of(engine, 0, event.name(), process.directory());
    }
  }

  private static long tracepoint(EngineKind engine, SampledEvent event)
      throws EngineRefusedException {
    File directory = Tracefs.find(event.group(), event.member());
    if (directory == null) {
      if (Tracefs.isMounted()) {
        throw RefusalText.EVENT_NO_TRACEPOINT.of(engine, 0, event.name());
      }
      throw (new File(Tracefs.ROOT).canRead()
              ? RefusalText.EVENT_NO_TRACEFS
              : RefusalText.EVENT_UNREADABLE)
          .of(engine, 0, event.name(), Tracefs.ROOT);
    }
    try {
      return Tracefs.id(directory);
    } catch (IOException | NumberFormatException e) {
      throw RefusalText.EVENT_UNREADABLE.of(engine, 0, event.name(), directory);
    }
  }

  /** The kind of event that a uprobe is on this machine; −1 if the kernel has none. */
  public static int uprobeType() {
    try {
      return Integer.parseInt(PlainFiles.text(UPROBE_TYPE, StandardCharsets.ISO_8859_1).strip());
    } catch (IOException | NumberFormatException e) {
      return -1;
    }
  }

  private static KernelEvent uprobe(EngineKind engine, SampledEvent event)
      throws EngineRefusedException {
    int type = uprobeType();
    if (type < 0) {
      throw RefusalText.EVENT_NO_UPROBES.of(engine, 0, event.name());
    }
    UprobePlace place = UprobePlace.find(engine, event);
    return new KernelEvent(type, 0, NativeBuffer.path(place.path()), place.offset(), false);
  }
}
