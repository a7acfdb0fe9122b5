package stackweave.samples.lab;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The lab's C code compiled in one way, with the phases bound to that library.
 *
 * <p>A native method is looked up in the libraries of its class's loader only: a loader for each
 * variant lets all of them live in one JVM under the same names, told apart by their module.
 */
public final class Variant {

  /** All variants that {@code src/main/c/build} knows. */
  public static final List<String> NAMES = List.of("sframe", "ehframe", "omitfp");

  private final String name;
  private final ClassLoader loader;

  private Variant(String name, ClassLoader loader) {
    this.name = name;
    this.loader = loader;
  }

  /** The variants that were built; {@code sframe} is missing where the assembler can't write it. */
  public static List<String> built() {
    List<String> built = new ArrayList<>();
    for (String name : NAMES) {
      if (Files.isRegularFile(library("lab-" + name))) {
        built.add(name);
      }
    }
    if (built.isEmpty()) {
      throw new IllegalStateException(
          "no variant of the lab in %s: build it with  mvn -q -DskipTests package"
              .formatted(library("lab-*").getParent()));
    }
    return built;
  }

  /**
   * Loads the variant's library into a class loader of its own.
   *
   * @param name one of {@link #built()}
   */
  public static Variant load(String name) {
    return load(name, library("lab-" + name));
  }

  /** As {@link #load(String)}, with the library at another place. */
  public static Variant load(String name, Path library) {
    Variant variant = new Variant(name, new PhaseLoader(Variant.class.getClassLoader()));
    try {
      variant.type("Library").getMethod("load", String.class).invoke(null, library.toString());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("%s can't be loaded".formatted(library), e);
    }
    return variant;
  }

  /** The path of one of the lab's libraries, built or not: {@code target/native/libNAME.so}. */
  public static Path library(String name) {
    try {
      Path code =
          Path.of(Variant.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path directory =
          Path.of(System.getProperty("lab.native", code.resolveSibling("native") + ""));
      return directory.resolve("lib" + name + ".so").toAbsolutePath();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  public String name() {
    return name;
  }

  /** A class of {@code stackweave.samples.lab.phase}, bound to this variant's library. */
  public Class<?> type(String simpleName) {
    try {
      return Class.forName(PhaseLoader.PACKAGE + simpleName, true, loader);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException("no phase named " + simpleName, e);
    }
  }

  /** A phase by the simple name of its class. */
  public stackweave.samples.work.Round phase(String simpleName) {
    try {
      return (stackweave.samples.work.Round) type(simpleName).getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(simpleName + " is no phase", e);
    }
  }

  /** Defines the phases itself and leaves all the rest to its parent. */
  private static final class PhaseLoader extends ClassLoader {
    static final String PACKAGE = "stackweave.samples.lab.phase.";

    PhaseLoader(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(PACKAGE)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : define(name);
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
