package stackweave.agent.boot;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.security.AllPermission;
import java.security.CodeSource;
import java.security.Permissions;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Loads the agent's classes from the jar inside the agent jar ({@link InnerJar}). Its own classes
 * come before those of the JDK: agent and application can't see each other's classes. It has no
 * parent, so that the boot loader is asked before the platform loader, which keeps each name that
 * it was asked for. Created by {@link Boot}, one for the life of the JVM. Thread-safe.
 *
 * <p>In an application on JDK 24 or later JNA is a named module of this loader, so that native
 * access is granted to JNA alone; all else is in the unnamed module. The module is defined with
 * JNA's first class, since that costs 15 ms of CPU.
 */
public final class InnerClassLoader extends ClassLoader {

  static {
    registerAsParallelCapable();
  }

  /** Kept, because a security manager may forbid a caller of ours to ask for it. */
  private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();

  private static final String OWN = "stackweave/";
  private static final String JNA = "com.sun.jna/";

  /** The first version that restricts System.load (JEP 472). */
  private static final int RESTRICTS_LOAD = 24;

  /** Names the packages of JNA's module, one per line. */
  private static final String JNA_PACKAGES = "com.sun.jna.packages";

  private final InnerJar jar;

  private final Instrumentation instrumentation;

  /**
   * Protection domain of the agent's classes: all permissions, under any security manager, also one
   * that the application sets later. A policy that does not trust the agent jar makes creating this
   * class loader fail, and so the start.
   *
   * <p>Its code source has no location: instrumenting agents skip classes without one (JaCoCo
   * does), so they don't slow down the sampling code.
   */
  private final ProtectionDomain domain;

  /**
   * The lock that is held while a class is loaded, by the class's name. ClassLoader's own table
   * would keep a lock for each class forever, 80 KB in all.
   */
  private final ConcurrentMap<String, Object> locks = new ConcurrentHashMap<>();

  private final Object jnaLock = new Object();
  private boolean jnaDefined;

  private InnerClassLoader(InnerJar jar, Instrumentation instrumentation) {
    super("stackweave", null);
    this.jar = jar;
    this.instrumentation = instrumentation;
    Permissions all = new Permissions();
    all.add(new AllPermission());
    this.domain = new ProtectionDomain(new CodeSource(null, (Certificate[]) null), all);
  }

  /**
   * Opens the jar and returns a loader for it.
   *
   * @param instrumentation null in main(), where the jar's manifest grants native access
   */
  static InnerClassLoader open(File jar, Instrumentation instrumentation) throws IOException {
    return new InnerClassLoader(InnerJar.open(jar), instrumentation);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null && !name.startsWith("java.")) {
        loaded = findOurs(name);
      }
      if (loaded == null) {
        loaded = super.loadClass(name, resolve);
      }
      locks.remove(name); // another thread that waits for the lock finds the class
      return loaded;
    }
  }

  @Override
  protected Object getClassLoadingLock(String name) {
    return locks.computeIfAbsent(name, key -> new Object());
  }

  /** Called for a class that neither this loader nor the boot loader has. */
  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    return PLATFORM.loadClass(name);
  }

  /** Called for a class of a named module of this loader; JNA's is the only one. */
  @Override
  protected Class<?> findClass(String moduleName, String name) {
    try {
      return loadClass(name, false);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  private Class<?> findOurs(String name) throws ClassNotFoundException {
    String path = name.replace('.', '/') + ".class";
    try {
      byte[] classFile = jar.read(OWN + path);
      if (classFile == null) {
        classFile = jar.read(JNA + path);
        if (classFile == null) {
          return null;
        }
        if (instrumentation != null && Runtime.version().feature() >= RESTRICTS_LOAD) {
          defineJnaModule();
        }
      }
      return defineClass(name, classFile, 0, classFile.length, domain);
    } catch (IOException e) {
      throw new ClassNotFoundException(name + " (" + e.getMessage() + ")", e);
    }
  }

  private void defineJnaModule() throws ClassNotFoundException, IOException {
    synchronized (jnaLock) {
      if (jnaDefined) {
        return;
      }
      try {
        String packages = new String(jar.read(JNA_PACKAGES), StandardCharsets.UTF_8);
        loadClass("stackweave.agent.jdk.JnaModule")
            .getMethod("define", ClassLoader.class, Set.class, Instrumentation.class)
            .invoke(null, this, Set.of(packages.split("\n")), instrumentation);
      } catch (InvocationTargetException e) {
        throw new ClassNotFoundException("no module for JNA", e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new ClassNotFoundException("no module for JNA", e);
      }
      jnaDefined = true;
    }
  }

  /** The only way to a resource of ours: no URL leads to one. */
  @Override
  public InputStream getResourceAsStream(String name) {
    byte[] ours = content(name);
    return ours != null ? new ByteArrayInputStream(ours) : super.getResourceAsStream(name);
  }

  private byte[] content(String name) {
    try {
      byte[] content = jar.read(OWN + name);
      return content != null ? content : jar.read(JNA + name);
    } catch (IOException e) {
      return null; // the jar is damaged; callers get the same answer as for a missing entry
    }
  }
}
