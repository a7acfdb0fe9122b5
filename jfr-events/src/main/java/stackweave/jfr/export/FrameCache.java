package stackweave.jfr.export;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;

/**
 * What follows from a frame's method and kind, made once for each: the frames of a recording are
 * many, their methods few. Not for what follows from line or offset. Not thread-safe.
 */
final class FrameCache<T> {
  private final Function<SampledFrame, T> maker;

  /** For each method: kind, what was made, kind, what was made, … */
  private final Map<SampledMethod, Object[]> made = new IdentityHashMap<>();

  /**
   * @param maker makes it of any frame of the method and kind
   */
  FrameCache(Function<SampledFrame, T> maker) {
    this.maker = maker;
  }

  @SuppressWarnings("unchecked")
  T get(SampledFrame frame) {
    Object[] known = made.get(frame.method());
    int length = known == null ? 0 : known.length;
    for (int i = 0; i < length; i += 2) {
      if (frame.kind().equals(known[i])) {
        return (T) known[i + 1];
      }
    }
    T value = maker.apply(frame);
    Object[] more = known == null ? new Object[2] : Arrays.copyOf(known, length + 2);
    more[length] = frame.kind();
    more[length + 1] = value;
    made.put(frame.method(), more);
    return value;
  }
}
