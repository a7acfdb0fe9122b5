package stackweave.agent.boot;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Loads the agent's classes out of the folders of the agent jar that no other loader looks into.
 * What lies there wins over every parent, and the parent is the platform loader: no class of the
 * application is ever seen, and of ours the application sees none.
 *
 * <p>Our classes are in this loader's unnamed module. JNA is a named module of the same loader, so
 * that native access can be granted to JNA alone; that module costs 15 ms, and comes into being
 * with JNA's first class. Entries are read one by one as they are asked for. Thread-safe.
 */
final class InnerClassLoader extends ClassLoader {

  static {
    registerAsParallelCapable();
  }

  private static final String OWN = "inner/stackweave/";
  private static final String JNA = "inner/com.sun.jna/";
  private static final String CLASS_SUFFIX = ".classdata";

  private final ZipFile jar;
  private final Instrumentation instrumentation;
  private final Object jnaLock = new Object();
  private volatile boolean jnaDefined;

  private InnerClassLoader(ZipFile jar, Instrumentation instrumentation) {
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
    // The class path has this file open already: the JDK shares its directory, nothing is read.
    return new InnerClassLoader(new ZipFile(jar), instrumentation);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      if (loaded == null) {
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
    String path = name.replace('.', '/') + CLASS_SUFFIX;
    ZipEntry entry = jar.getEntry(OWN + path);
    if (entry == null) {
      entry = jar.getEntry(JNA + path);
      if (entry == null) {
        return null;
      }
      defineJnaModule();
    }
    try {
      byte[] classFile = read(entry);
      return defineClass(name, classFile, 0, classFile.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name + " can't be read from " + jar.getName(), e);
    }
  }

  private void defineJnaModule() throws ClassNotFoundException {
    synchronized (jnaLock) {
      if (jnaDefined) {
        return;
      }
      try {
        loadClass("stackweave.agent.JnaModule")
            .getMethod("define", ClassLoader.class, Set.class, Instrumentation.class)
            .invoke(null, this, jnaPackages(), instrumentation);
      } catch (InvocationTargetException e) {
        throw new ClassNotFoundException("no module for JNA", e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new ClassNotFoundException("no module for JNA", e);
      }
      jnaDefined = true;
    }
  }

  private Set<String> jnaPackages() {
    Set<String> packages = new TreeSet<>();
    for (ZipEntry entry : Collections.list(jar.entries())) {
      String name = entry.getName();
      if (name.startsWith(JNA) && name.endsWith(CLASS_SUFFIX)) {
        packages.add(name.substring(JNA.length(), name.lastIndexOf('/')).replace('/', '.'));
      }
    }
    return packages;
  }

  @Override
  public URL getResource(String name) {
    URL ours = findResource(name);
    return ours != null ? ours : super.getResource(name);
  }

  @Override
  protected URL findResource(String name) {
    ZipEntry entry = resource(name);
    if (entry == null) {
      return null;
    }
    try {
      return new URL("stackweave", null, -1, "/" + name, new EntryHandler(entry));
    } catch (IOException e) {
      return null; // a handler is given, so none is searched and none is missing
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

  private ZipEntry resource(String name) {
    ZipEntry entry = jar.getEntry(OWN + name);
    return entry != null ? entry : jar.getEntry(JNA + name);
  }

  private byte[] read(ZipEntry entry) throws IOException {
    try (InputStream in = jar.getInputStream(entry)) {
      return in.readAllBytes();
    }
  }

  /** Opens one entry; the JDK's jar: URLs would keep a cache of their own over the same file. */
  private final class EntryHandler extends URLStreamHandler {
    private final ZipEntry entry;

    EntryHandler(ZipEntry entry) {
      this.entry = entry;
    }

    @Override
    protected URLConnection openConnection(URL url) {
      return new URLConnection(url) {
        @Override
        public void connect() {
          connected = true;
        }

        @Override
        public InputStream getInputStream() throws IOException {
          return new ByteArrayInputStream(read(entry));
        }
      };
    }
  }
}
