package stackweave.live.loads;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import stackweave.lab.Sampling;

/**
 * Loads the libraries that {@link LoadsIT} has made, in all ways there are, and says what it did:
 * {@code LoadsApp DIRECTORY}. With {@code wait} behind it begins when the agent observes loads.
 */
final class LoadsApp {
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long WORK_NANOS = 500_000_000L;

  private LoadsApp() {}

  /** Of the library that is extracted. */
  private static native long work(long rounds);

  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    if (args.length > 1) {
      await();
    }
    loadSlow(directory.resolve("libslow.so"));
    try {
      loadBad(directory.resolve("libbad.so"));
    } catch (UnsatisfiedLinkError e) {
      System.out.println("bad " + e.getMessage());
    }
    System.loadLibrary("named");
    try {
      System.load(directory.resolve("libstack.so").toString());
    } catch (UnsatisfiedLinkError e) {
      System.out.println("stack " + e.getMessage()); // by glibc 2.41 and later
    }
    Path copy = Files.createTempFile(directory, "extracted", ".so");
    loadExtracted(directory.resolve("libwork.so"), copy);
    if (Runtime.version().feature() >= 22) {
      loadForeign(directory.resolve("libforeign.so"));
    }
    Sampling.await();
    long until = Sampling.cpuNanos() + WORK_NANOS;
    long latest = System.nanoTime() + PATIENCE_NANOS;
    while (Sampling.cpuNanos() < until || isHeld(copy) && System.nanoTime() < latest) {
      work(1_000_000);
    }
    System.out.println("held " + isHeld(copy));
  }

  /** The listener is in a class of the agent's that the test opens to this one. */
  private static void await() throws Exception {
    long latest = System.nanoTime() + PATIENCE_NANOS;
    while (System.nanoTime() < latest) {
      try {
        Class<?> hook = Class.forName("jdk.internal.loader.StackweaveLibraryLoads", true, null);
        Field listener = hook.getDeclaredField("LISTENER");
        listener.setAccessible(true);
        if (((AtomicReference<?>) listener.get(null)).get() != null) {
          return;
        }
      } catch (ClassNotFoundException e) {
        // Not yet there.
      }
      Thread.sleep(20);
    }
    throw new IllegalStateException("loads are not observed");
  }

  static void loadSlow(Path library) {
    long begin = System.nanoTime();
    System.load(library.toString());
    System.out.println("slow " + (System.nanoTime() - begin));
  }

  static void loadBad(Path library) {
    System.load(library.toString());
  }

  static void loadExtracted(Path from, Path copy) throws IOException {
    Files.copy(from, copy, StandardCopyOption.REPLACE_EXISTING);
    System.load(copy.toString());
    Files.delete(copy);
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      String first = maps.filter(line -> line.contains(copy.toString())).findFirst().orElse("?");
      System.out.println("extracted " + copy + " " + first.substring(0, first.indexOf('-')));
    }
  }

  /** Not compiled for a JDK that has it. */
  static void loadForeign(Path library) throws Exception {
    Class<?> arena = Class.forName("java.lang.foreign.Arena");
    Object global = arena.getMethod("global").invoke(null);
    try {
      Class.forName("java.lang.foreign.SymbolLookup")
          .getMethod("libraryLookup", Path.class, arena)
          .invoke(null, library, global);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether this process has the file open, which is deleted. */
  private static boolean isHeld(Path file) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : all.toList()) {
        try {
          if (Files.readSymbolicLink(each).toString().startsWith(file.toString())) {
            return true;
          }
        } catch (NoSuchFileException e) {
          continue; // closed meanwhile
        }
      }
      return false;
    }
  }
}
