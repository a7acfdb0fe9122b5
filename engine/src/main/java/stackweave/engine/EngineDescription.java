package stackweave.engine;

import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;

/**
 * The properties of an engine that do not change after its start. Immutable.
 *
 * @param kind which engine it is
 * @param event what it samples: CPU time, or an event with its interval
 * @param intervalNanos CPU time between two samples of a thread, in ns, as requested
 * @param reachedIntervalNanos the interval that it reaches here, in ns; not shorter
 * @param sendsSignals whether it interrupts threads by signals, which take room on their stacks,
 *     and so has to find each thread: {@link SignalTargets} helps it
 * @param clockErrorNanos by how much a sample's time may differ from that of {@link
 *     System#nanoTime} at the instruction that it shows, in ns; 0 where both read one clock, {@link
 *     Long#MAX_VALUE} where that is not known
 */
public record EngineDescription(
    EngineKind kind,
    SampledEvent event,
    long intervalNanos,
    long reachedIntervalNanos,
    boolean sendsSignals,
    long clockErrorNanos) {}
