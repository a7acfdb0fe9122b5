package stackweave.agent.boot;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.security.AllPermission;
import java.security.CodeSource;
import java.security.Permissions;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;

/**
 * Loads the agent's classes out of the jar in the agent jar, where no other loader looks. What lies
 * there wins over every parent, and the parent is the platform loader: no class of the application
 * is ever seen, and of ours the application sees none.
 *
 * <p>Our classes are in this loader's unnamed module. In an application JNA is a named module of
 * it, so that native access can be granted to JNA alone; that module costs 15 ms of CPU, and comes
 * into being with JNA's first class.
 *
 * <p>Closing it closes the jar; it then loads no more classes until {@link #reopen}. Thread-safe.
 */
public final class InnerClassLoader extends ClassLoader implements Closeable {

  static {
    registerAsParallelCapable();
  }

  private static final String OWN = "stackweave/";
  private static final String JNA = "com.sun.jna/";

  /** Names the packages of JNA's module, one per line. */
  private static final String JNA_PACKAGES = "com.sun.jna.packages";

  /** Null while closed. */
  private volatile InnerJar jar;

  /** What {@link #reopen()} opens. Guarded by the lock of this. */
  private File file;

  private final Instrumentation instrumentation;

  /**
   * Of all our classes: they may do what they do under any security manager, also one that the
   * application sets later. Who may make a class loader may give it this; a policy that does not
   * trust the agent jar ends the start before it comes so far.
   *
   * <p>It names no place that the classes come from: agents that change the application's classes
   * leave out those without one (JaCoCo does), and our hot paths are not theirs to slow down.
   */
  private final ProtectionDomain domain;

  private final Object jnaLock = new Object();
  private boolean jnaDefined;

  private InnerClassLoader(InnerJar jar, File file, Instrumentation instrumentation) {
    super("stackweave", ClassLoader.getPlatformClassLoader());
    this.jar = jar;
    this.file = file;
    this.instrumentation = instrumentation;
    Permissions all = new Permissions();
    all.add(new AllPermission());
    this.domain = new ProtectionDomain(new CodeSource(null, (Certificate[]) null), all);
  }

  /**
   * A loader over this jar, which stays open.
   *
   * @param instrumentation null on the command line, where the jar's manifest grants native access
   */
  static InnerClassLoader open(File jar, Instrumentation instrumentation) throws IOException {
    return new InnerClassLoader(InnerJar.open(jar), jar, instrumentation);
  }

  /** Opens this jar, which must be of the same version, if none is open. */
  synchronized void reopen(File file) throws IOException {
    this.file = file;
    reopen();
  }

  /**
   * Opens the jar that was named last, if none is open. Public for {@code stackweave.agent.Agent},
   * which closes it and can't name this class.
   */
  public synchronized void reopen() throws IOException {
    if (jar == null) {
      jar = InnerJar.open(file);
    }
  }

  @Override
  public synchronized void close() throws IOException {
    InnerJar open = jar;
    jar = null;
    if (open != null) {
      open.close();
    }
  }

  private byte[] read(String entry) throws IOException {
    InnerJar open = jar;
    if (open == null) {
      throw new IOException("the agent is detached");
    }
    return open.read(entry);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null && !name.startsWith("java.")) {
        loaded = findOurs(name);
      }
      return loaded != null ? loaded : super.loadClass(name, resolve);
    }
  }

  /** Called for a class of a named module of this loader, which can only be JNA's. */
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
      byte[] classFile = read(OWN + path);
      if (classFile == null) {
        classFile = read(JNA + path);
        if (classFile == null) {
          return null;
        }
        if (instrumentation != null) {
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
        String packages = new String(read(JNA_PACKAGES), StandardCharsets.UTF_8);
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

  @Override
  public URL getResource(String name) {
    URL ours = findResource(name);
    return ours != null ? ours : super.getResource(name);
  }

  /** Without the way over a URL, which a security manager may forbid this class, too, to make. */
  @Override
  public InputStream getResourceAsStream(String name) {
    byte[] ours = content(name);
    return ours != null ? new ByteArrayInputStream(ours) : super.getResourceAsStream(name);
  }

  private byte[] content(String name) {
    try {
      byte[] content = read(OWN + name);
      return content != null ? content : read(JNA + name);
    } catch (IOException e) {
      return null; // of a damaged jar; the callers can't say more
    }
  }

  @Override
  protected URL findResource(String name) {
    byte[] content = content(name);
    try {
      return content == null ? null : url(name, content);
    } catch (MalformedURLException e) {
      return null;
    }
  }

  @Override
  protected URL findResource(String moduleName, String name) {
    return findResource(name);
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL ours = findResource(name);
    return ours == null ? Collections.emptyEnumeration() : Collections.enumeration(Set.of(ours));
  }

  /** A URL that has its content with it: nobody else could open it. */
  private static URL url(String name, byte[] content) throws MalformedURLException {
    return new URL(
        "stackweave",
        null,
        -1,
        "/" + name,
        new URLStreamHandler() {
          @Override
          protected URLConnection openConnection(URL url) {
            return new ContentConnection(url, content);
          }
        });
  }

  private static final class ContentConnection extends URLConnection {
    private final byte[] content;

    ContentConnection(URL url, byte[] content) {
      super(url);
      this.content = content;
    }

    @Override
    public void connect() {
      connected = true;
    }

    @Override
    public InputStream getInputStream() {
      return new ByteArrayInputStream(content);
    }
  }
}
