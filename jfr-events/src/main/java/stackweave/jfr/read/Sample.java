package stackweave.jfr.read;

import java.time.Instant;
import java.util.List;

/**
 * One sample, with all that its recording says of it.
 *
 * @param session the process it comes from
 * @param time when it was taken
 * @param thread whose stack it is
 * @param state label of what the thread did, from the recording's legend
 * @param weightNanos CPU or wall-clock time that it stands for, in nanoseconds
 * @param contextId a label of the application, 0 for none
 * @param end why the stack ends
 * @param frames the thread's first frame first
 */
public record Sample(
    SessionFacts session,
    Instant time,
    StackThread thread,
    String state,
    long weightNanos,
    long contextId,
    StackEnd end,
    List<SampledFrame> frames) {}
