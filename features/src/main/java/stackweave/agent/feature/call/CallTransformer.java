package stackweave.agent.feature.call;

import java.lang.instrument.ClassFileTransformer;
import java.lang.ref.WeakReference;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import stackweave.jfr.call.CallPatterns;

/**
 * Gives native methods of candidates their wrappers while their classes are loaded. The JVM asks it
 * about every class, on the loading thread: it must be quick for classes that don't match, and must
 * not print, because other threads may wait for that thread. It can't be removed, because the JVM
 * needs its prefix to link methods that were not called yet. Thread-safe.
 */
final class CallTransformer implements ClassFileTransformer {
  private static final String JDK_IMAGE = "jrt";

  /** Most notes that are kept until somebody takes them. */
  private static final int MAX_NOTES = 50;

  private final CallPatterns candidates;
  private final WrappedMethods methods;

  /** Names of wrapped classes with their loaders: they are wrapped again when redefined. */
  private final ConcurrentHashMap<String, List<WeakReference<ClassLoader>>> wrapped =
      new ConcurrentHashMap<>();

  private final Queue<String> notes = new ConcurrentLinkedQueue<>();

  /** Whether new classes are left unchanged. */
  private volatile boolean closed;

  CallTransformer(CallPatterns candidates, WrappedMethods methods) {
    this.candidates = candidates;
    this.methods = methods;
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (className == null) {
      return null;
    }
    boolean isLookup = JnaLookup.isLookup(className) && !isOwn(loader);
    if (!isLookup && !candidates.matchesClass(className)) {
      return null;
    }
    try {
      if (isLookup) {
        return JnaLookup.write(classFile); // of its own native methods none is timed
      }
      if (redefined != null) {
        return isWrapped(className, loader) ? wrap(className, classFile) : null;
      }
      if (closed || isOwn(loader) || isOfJdk(loader, domain)) {
        return null;
      }
      return transform(loader, className, classFile);
    } catch (Throwable e) {
      // The JVM would drop the exception silently.
      note(className.replace('/', '.') + ": its native methods are not timed (" + e + ")");
      return null;
    }
  }

  private byte[] transform(ClassLoader loader, String className, byte[] classFile) {
    ClassFacts facts = ClassFacts.of(classFile);
    String name = className.replace('/', '.');
    if (!isAnyWanted(name, facts)) {
      return null;
    }
    String whyNot = facts.whyNotWrapped(loader);
    if (!whyNot.isEmpty()) {
      note(name + " " + whyNot + ": its native methods are not timed");
      return null;
    }
    Candidates numbering = new Candidates(name);
    byte[] changed = WrapperWriter.write(classFile, numbering);
    if (numbering.left > 0) {
      note(
          name
              + ": "
              + numbering.left
              + " of its native methods are not timed, since more than "
              + CallHook.MAX_METHODS
              + " match");
    }
    if (changed == null) {
      return null;
    }
    List<WeakReference<ClassLoader>> loaders = new CopyOnWriteArrayList<>();
    List<WeakReference<ClassLoader>> known = wrapped.putIfAbsent(className, loaders);
    (known == null ? loaders : known).add(new WeakReference<>(loader));
    return changed;
  }

  private boolean isAnyWanted(String name, ClassFacts facts) {
    for (String method : facts.natives()) {
      if (candidates.matches(name, method)) {
        return true;
      }
    }
    return false;
  }

  private byte[] wrap(String className, byte[] classFile) {
    String name = className.replace('/', '.');
    return WrapperWriter.write(classFile, new Candidates(name));
  }

  /** No lambda: its bootstrap would load classes while one is being loaded. */
  private final class Candidates implements WrapperWriter.Numbering {
    private final String name;

    /** The number of matching methods for which there was no room. */
    private int left;

    Candidates(String name) {
      this.name = name;
    }

    @Override
    public int number(String method, String descriptor) {
      if (!candidates.matches(name, method)) {
        return -1;
      }
      int number = methods.number(name, method, descriptor);
      left += number < 0 ? 1 : 0;
      return number;
    }
  }

  private boolean isWrapped(String className, ClassLoader loader) {
    List<WeakReference<ClassLoader>> loaders = wrapped.get(className);
    if (loaders != null) {
      for (WeakReference<ClassLoader> each : loaders) {
        if (each.get() == loader) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether it is the loader of the agent or of its JNA. */
  private static boolean isOwn(ClassLoader loader) {
    return loader == CallTransformer.class.getClassLoader();
  }

  /**
   * Whether a class is one of the JDK's: those of the boot and platform loaders, and those that the
   * application's loader takes from the JDK's image.
   */
  static boolean isOfJdk(ClassLoader loader, ProtectionDomain domain) {
    if (loader == null || loader == ClassLoader.getPlatformClassLoader()) {
      return true;
    }
    CodeSource source = domain == null ? null : domain.getCodeSource();
    return source != null
        && source.getLocation() != null
        && source.getLocation().getProtocol().equals(JDK_IMAGE);
  }

  private void note(String note) {
    if (notes.size() < MAX_NOTES) {
      notes.add("calls: " + note);
    }
  }

  /** Whether there are notes to take. */
  boolean hasNotes() {
    return !notes.isEmpty();
  }

  /** Takes the notes for users on classes that were loaded since the last call. */
  List<String> takeNotes() {
    List<String> taken = new ArrayList<>();
    for (String note = notes.poll(); note != null; note = notes.poll()) {
      taken.add(note);
    }
    return taken;
  }

  /** Leaves new classes unchanged from now on. */
  void close() {
    closed = true;
  }
}
