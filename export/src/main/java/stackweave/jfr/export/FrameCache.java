package stackweave.jfr.export;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Function;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;

/**
 * Caches a value computed from a frame's method and kind: a recording has many frames and few
 * methods. Not for values that depend on line or offset. Not thread-safe.
 */
public final class FrameCache<T> {
  private final Function<SampledFrame, T> maker;

  /** By method and kind. */
  private final Map<SampledMethod, Map<String, T>> made = new IdentityHashMap<>();

  /**
   * @param maker computes the value from any frame of the method and kind
   */
  public FrameCache(Function<SampledFrame, T> maker) {
    this.maker = maker;
  }

  public T get(SampledFrame frame) {
    return made.computeIfAbsent(frame.method(), method -> new HashMap<>(2))
        .computeIfAbsent(frame.kind(), kind -> maker.apply(frame));
  }
}
