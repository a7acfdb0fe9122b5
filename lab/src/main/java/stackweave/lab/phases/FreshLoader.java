package stackweave.lab.phases;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/** Defines some classes anew and leaves all others to the loader of the phases. */
final class FreshLoader extends ClassLoader {
  private final Map<String, byte[]> fresh = new HashMap<>();

  FreshLoader(Class<?>... classes) {
    super(FreshLoader.class.getClassLoader());
    for (Class<?> type : classes) {
      fresh.put(type.getName(), bytes(type));
    }
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    byte[] bytes = fresh.get(name);
    if (bytes == null) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded != null ? loaded : defineClass(name, bytes, 0, bytes.length);
    }
  }

  /** The class file of a class. */
  static byte[] bytes(Class<?> type) {
    String file = type.getName().substring(type.getPackageName().length() + 1) + ".class";
    try (InputStream in = type.getResourceAsStream(file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
