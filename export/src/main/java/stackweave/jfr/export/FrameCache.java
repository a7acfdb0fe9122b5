package stackweave.jfr.export;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;

/**
 * Caches a value computed from a frame's method and kind: a recording has many frames and few
 * methods. Not for values that depend on line or offset. Not thread-safe.
 */
final class FrameCache<T> {
  private final Function<SampledFrame, T> maker;

  /** For each method: kind, value, kind, value, … */
  private final Map<SampledMethod, Object[]> made = new IdentityHashMap<>();

  /**
   * @param maker computes the value from any frame of the method and kind
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
