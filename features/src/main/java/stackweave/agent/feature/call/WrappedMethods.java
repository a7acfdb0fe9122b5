package stackweave.agent.feature.call;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import stackweave.jfr.call.CallPatterns;
import stackweave.jfr.call.NativeCallEvents;
import stackweave.jfr.call.TimedMethods;
import stackweave.jfr.control.CallRequest;

/**
 * The native methods that have a wrapper, by number, and which of them are timed. Methods of the
 * same name and descriptor in classes of the same name share a number. Thread-safe; threads that
 * load classes never wait here.
 */
final class WrappedMethods implements TimedMethods {
  private record Method(String className, String name, String descriptor) {}

  private final CallSwitch hook;
  private final NativeCallEvents events = new NativeCallEvents(this);
  private final ConcurrentHashMap<Method, Integer> numbers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<Method> methods =
      new AtomicReferenceArray<>(CallHook.MAX_METHODS);

  /** The request of the recordings; null for none. */
  private volatile CallRequest request;

  private volatile int count;

  WrappedMethods(CallSwitch hook) {
    this.hook = hook;
  }

  NativeCallEvents events() {
    return events;
  }

  /**
   * The number of a method; negative if there are too many.
   *
   * @param className with dots
   */
  int number(String className, String name, String descriptor) {
    Method method = new Method(className, name, descriptor);
    Integer known = numbers.get(method);
    return known != null ? known : add(method);
  }

  /** Must be short, load no class, and call nothing that could wait. */
  private int add(Method method) {
    int number;
    synchronized (numbers) {
      Integer known = numbers.get(method);
      if (known != null) {
        return known;
      }
      number = count;
      if (number == CallHook.MAX_METHODS) {
        return -1;
      }
      methods.set(number, method);
      numbers.put(method, number);
      count = number + 1;
    }
    // Read after the method is visible: either this sees a new request, or the thread that sets it
    // sees the method.
    CallRequest now = request;
    if (now != null) {
      select(number, method, now);
    }
    return number;
  }

  private void select(int number, Method method, CallRequest now) {
    boolean isTimed = now.asksFor(method.className, method.name);
    hook.select(number, isTimed, isTimed ? events.writer(number) : null);
  }

  /** Whether a method that has a wrapper matches. */
  boolean hasMatch(CallPatterns patterns) {
    for (int i = 0; i < count; i++) {
      Method method = methods.get(i);
      if (patterns.matches(method.className, method.name)) {
        return true;
      }
    }
    return false;
  }

  /** Times the methods that are asked for; takes JFR's locks. */
  void time(CallRequest wanted) {
    if (wanted.equals(request)) {
      return;
    }
    events.register();
    if (request == null) {
      events.passOver();
    }
    request = wanted;
    for (int i = 0; i < count; i++) {
      select(i, methods.get(i), wanted);
    }
    hook.on(wanted.thresholdNanos());
  }

  /** Stops timing; what was counted goes to the running recordings. */
  void timeNothing() {
    hook.off();
    if (request != null) {
      request = null;
      events.writeCounts();
    }
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public String method(int number) {
    Method method = methods.get(number);
    return method.className + "." + method.name;
  }

  @Override
  public String descriptor(int number) {
    return methods.get(number).descriptor;
  }

  @Override
  public boolean read(int number, long[] into) {
    return hook.read(number, into);
  }
}
