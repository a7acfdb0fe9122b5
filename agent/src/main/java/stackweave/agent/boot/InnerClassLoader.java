package stackweave.agent.boot;

import java.io.ByteArrayInputStream;
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
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;

/**
 * Loads the agent's classes out of the jar in the agent jar, where no other loader looks. What lies
 * there wins over every parent, and the parent is the platform loader: no class of the application
 * is ever seen, and of ours the application sees none.
 *
 * <p>Our classes are in this loader's unnamed module. JNA is a named module of the same loader, so
 * that native access can be granted to JNA alone; that module costs 15 ms of CPU, and comes into
 * being with JNA's first class. Thread-safe.
 */
final class InnerClassLoader extends ClassLoader {

  static {
    registerAsParallelCapable();
  }

  private static final String OWN = "stackweave/";
  private static final String JNA = "com.sun.jna/";

  /** Names the packages of JNA's module, one per line. */
  private static final String JNA_PACKAGES = "com.sun.jna.packages";

  private final InnerJar jar;
  private final Instrumentation instrumentation;
  private final Object jnaLock = new Object();
  private boolean jnaDefined;

  private InnerClassLoader(InnerJar jar, Instrumentation instrumentation) {
    super("stackweave", ClassLoader.getPlatformClassLoader());
    this.jar = jar;
    this.instrumentation = instrumentation;
  }

  /**
   * A loader over this jar, which stays open.
   *
   * @param instrumentation null on the command line, where nothing needs native access
   */
  static ClassLoader open(File jar, Instrumentation instrumentation) throws IOException {
    return new InnerClassLoader(InnerJar.open(jar), instrumentation);
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
      byte[] classFile = jar.read(OWN + path);
      if (classFile == null) {
        classFile = jar.read(JNA + path);
        if (classFile == null) {
          return null;
        }
        defineJnaModule();
      }
      return defineClass(name, classFile, 0, classFile.length);
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
        loadClass("stackweave.agent.JnaModule")
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

  @Override
  protected URL findResource(String name) {
    try {
      byte[] content = jar.read(OWN + name);
      if (content == null) {
        content = jar.read(JNA + name);
      }
      return content == null ? null : url(name, content);
    } catch (IOException e) {
      return null; // of a damaged jar; the method can't say more
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
