package stackweave.jna;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Replaces JNA's Cleaner in the agent's copy of JNA, without the thread that it starts: objects
 * that were garbage collected are freed at the next registration, as in a WeakHashMap. Thread-safe.
 */
public final class Cleaner {

  private static final Cleaner INSTANCE = new Cleaner();

  private final ReferenceQueue<Object> collected = new ReferenceQueue<>();
  private final Set<Cleanable> registered = ConcurrentHashMap.newKeySet();

  private Cleaner() {}

  /** The only instance; JNA calls it. */
  public static Cleaner getCleaner() {
    return INSTANCE;
  }

  /**
   * Registers an action to run once: at the first {@link Cleanable#clean()}, or some time after the
   * object was collected.
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
