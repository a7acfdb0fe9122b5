package stackweave.agent.jna;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands in JNA for its own Cleaner, without that one's thread: what the garbage collector found is
 * freed with the next registration, as in a WeakHashMap. The little that stays unfreed until then
 * costs less than a thread that an agent leaves in every JVM. Thread-safe.
 */
public final class Cleaner {

  private static final Cleaner INSTANCE = new Cleaner();

  private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
  private final Set<Cleanable> registered = ConcurrentHashMap.newKeySet();

  private Cleaner() {}

  public static Cleaner getCleaner() {
    return INSTANCE;
  }

  /**
   * Runs the action once: at the first {@link Cleanable#clean()}, or some time after the object was
   * collected.
   */
  public Cleanable register(Object object, Runnable action) {
    for (Reference<?> found = collected.poll(); found != null; found = collected.poll()) {
      ((Cleanable) found).clean();
    }
    Registration registration = new Registration(object, action);
    registered.add(registration);
    return registration;
  }

  /** Something to be freed once. */
  public interface Cleanable {
    void clean();
  }

  private final class Registration extends PhantomReference<Object> implements Cleanable {
    private final Runnable action;

    Registration(Object object, Runnable action) {
      super(object, collected);
      this.action = action;
    }

    @Override
    public void clean() {
      if (registered.remove(this)) {
        clear();
        action.run();
      }
    }
  }
}
