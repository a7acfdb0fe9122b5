package stackweave.jfr.export;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;

/**
 * Which of the samples that were read an export has; {@code SampleChoice} decides which are read.
 * Immutable. Expressions must match the whole text of a frame ({@link SampledFrame#text}), as in
 * async-profiler's converter.
 *
 * @param from the first time that is in it
 * @param to the first time behind it
 * @param include a stack is in it only if a frame matches; null for all
 * @param exclude a stack is not in it if a frame matches; null for none
 */
public record Selection(Instant from, Instant to, Pattern include, Pattern exclude) {
  /** All samples that were read. */
  public static final Selection ALL = new Selection(Instant.MIN, Instant.MAX, null, null);

  /**
   * Visits the selected samples, summed up; reads the file again.
   *
   * @throws RecordingException if no sample is selected, or the file can't be read any more; one
   *     line for users
   */
  public void forEachSum(SampledRecording recording, Consumer<SampleSum> consumer)
      throws RecordingException {
    Filter filter = new Filter();
    recording.forEachSum(
        from,
        to,
        sum -> {
          if (filter.takes(sum.frames())) {
            consumer.accept(sum);
          }
        });
    filter.mustHaveTaken(recording);
  }

  /** Visits the selected samples, one after the other; throws as {@link #forEachSum} does. */
  void forEachSample(SampledRecording recording, Consumer<Sample> consumer)
      throws RecordingException {
    Filter filter = new Filter();
    recording.forEachSample(
        sample -> {
          if (!sample.time().isBefore(from)
              && sample.time().isBefore(to)
              && filter.takes(sample.frames())) {
            consumer.accept(sample);
          }
        });
    filter.mustHaveTaken(recording);
  }

  /** The time from which on the recording's samples may be selected. */
  public Instant first(SampledRecording recording) {
    return from.isAfter(recording.first()) ? from : recording.first();
  }

  /** The time of the last sample that may be selected; not before the first. */
  public Instant last(SampledRecording recording) {
    Instant last = to.isBefore(recording.last()) ? to : recording.last();
    return last.isBefore(first(recording)) ? first(recording) : last;
  }

  /** Selects by all but the time. Each text of a frame is matched once. */
  private final class Filter {
    private final FrameCache<Boolean> included =
        new FrameCache<>(frame -> include.matcher(frame.text()).matches());
    private final FrameCache<Boolean> excluded =
        new FrameCache<>(frame -> exclude.matcher(frame.text()).matches());
    private boolean hasTaken;

    boolean takes(List<SampledFrame> frames) {
      boolean takes =
          (include == null || frames.stream().anyMatch(included::get))
              && (exclude == null || frames.stream().noneMatch(excluded::get));
      hasTaken |= takes;
      return takes;
    }

    void mustHaveTaken(SampledRecording recording) throws RecordingException {
      if (!hasTaken) {
        throw new RecordingException(
            Texts.of(
                "none of the %,d samples is selected: they are from %s to %s",
                recording.samples(), recording.first(), recording.last()));
      }
    }
  }
}
