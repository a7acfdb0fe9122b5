package stackweave.jfr.read;

import java.time.Instant;
import java.util.List;

/**
 * One sample.
 *
 * @param session the process it comes from, by its uuid
 * @param time when it was taken
 * @param thread whose stack it is
 * @param state label of what the thread did
 * @param weightNanos CPU or wall-clock time that it stands for
 * @param contextId a label of the application, 0 for none
 * @param end why the stack ends
 * @param frames the thread's first frame first
 */
public record SampledStack(
    String session,
    Instant time,
    StackThread thread,
    String state,
    long weightNanos,
    long contextId,
    StackEnd end,
    List<SampledFrame> frames) {}
