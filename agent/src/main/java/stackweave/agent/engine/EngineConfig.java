package stackweave.agent.engine;

import java.util.Set;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.GuardedCall;
import stackweave.agent.linux.MemoryAccess;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingSettings;

/**
 * What is asked of an engine.
 *
 * @param intervalNanos CPU time between two samples of a thread, in ns; one of {@link
 *     SamplingSettings#INTERVALS}
 * @param stackBytes how much of the stack to copy per sample, in bytes; 1 KiB to {@link
 *     #MAX_STACK_BYTES}; an engine may copy less where the kernel or its ring demands it
 * @param preferred the engine to try first, or null for the usual order; the others follow
 * @param memoryAccess what the process's own memory is to be read with
 */
public record EngineConfig(
    long intervalNanos, int stackBytes, EngineKind preferred, MemoryAccess memoryAccess) {
  /**
   * More than nearly every stack has, at 3 µs for a copy of it all; half of the JVM's default stack
   * size would only burden the ring.
   */
  public static final int MAX_STACK_BYTES = 256 * 1024;

  private static final int MIN_STACK_BYTES = 1024;

  /** Values outside the limits are taken as the nearest inside. */
  public EngineConfig {
    intervalNanos = SamplingSettings.clamp(intervalNanos);
    stackBytes = Math.max(MIN_STACK_BYTES, Math.min(MAX_STACK_BYTES, stackBytes)) & -8;
  }

  /** Memory is read as {@link MemoryAccess#AUTO} has it. */
  public EngineConfig(long intervalNanos, int stackBytes, EngineKind preferred) {
    this(intervalNanos, stackBytes, preferred, MemoryAccess.AUTO);
  }

  /**
   * Which guarded calls the calling thread may make for this: naming a perf engine is the user's
   * word that perf_event_open kills nobody.
   */
  public CallPolicy callPolicy() {
    boolean perf = preferred != null && preferred.usesPerfEvents();
    return CallPolicy.ofThread(perf ? Set.of(GuardedCall.PERF_EVENT_OPEN) : Set.of());
  }

  /** The largest stack copies, the usual order of engines. */
  public static EngineConfig every(long intervalNanos) {
    return new EngineConfig(intervalNanos, MAX_STACK_BYTES, null);
  }
}
