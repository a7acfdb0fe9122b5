package stackweave.jna;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Loads JNA's native library in the agent's copy of JNA, always from the agent jar: into a new
 * directory that only this user may enter, and unlinked once it is mapped. System properties for
 * the application's JNA have no effect. Called by the static initialiser of com.sun.jna.Native.
 */
public final class DispatchLibrary {

  private static final String FILE = "libjnidispatch.so";

  /** What musl's loader says of a library that may not be executed. */
  private static final String NOT_PERMITTED = "Operation not permitted";

  private static final int ATTEMPTS = 16;
  private static final int WRITABLE_BY_OTHERS = 0022;
  private static final int STICKY = 01000;
  private static final Integer ROOT = 0;

  /**
   * The descriptors of this process; searched unless there are more than {@link #MOST_DESCRIPTORS}.
   */
  private static final Path DESCRIPTORS = Path.of("/proc/thread-self/fd");

  private static final int MOST_DESCRIPTORS = 4096;
  private static final Path SELF = Path.of("/proc/self");

  /** The end of what musl's loader says of a function that it does not find. */
  private static final String NOT_FOUND = ": symbol not found";

  private DispatchLibrary() {}

  /**
   * Loads the library.
   *
   * @throws UnsatisfiedLinkError if no directory is writable, none may hold code, or the C library
   *     lacks what the library needs; the message is for the user
   */
  public static void load() {
    byte[] library = read();
    Map<String, List<String>> refusals = new LinkedHashMap<>();
    for (String directory : directories()) {
      try {
        load(Path.of(directory), library);
        return;
      } catch (IOException | InvalidPathException | UnsatisfiedLinkError e) {
        String missing = missingFunction(e);
        if (missing != null) {
          throw new UnsatisfiedLinkError(
              "this JVM's C library has no "
                  + missing
                  + ", which JNA's native library needs: use an image with glibc");
        }
        refusals.computeIfAbsent(reason(e), reason -> new ArrayList<>()).add(directory);
      }
    }
    StringBuilder why = new StringBuilder("no directory takes JNA's native library:");
    refusals.forEach(
        (reason, these) ->
            why.append(' ').append(String.join(", ", these)).append(" (" + reason + "),"));
    why.setLength(why.length() - 1);
    throw new UnsatisfiedLinkError(
        why + "; set XDG_RUNTIME_DIR to one that is writable and not mounted noexec");
  }

  /**
   * The function that the C library does not have and the native library is refused for, as another
   * loader than glibc's says it; null if it is not that. What is called at no time may be missing:
   * JNA calls {@code __strdup}, which musl lacks, for callbacks, of which the agent has none.
   */
  static String missingFunction(Throwable refusal) {
    String message = String.valueOf(refusal.getMessage());
    if (!message.endsWith(NOT_FOUND)) {
      return null;
    }
    String before = message.substring(0, message.length() - NOT_FOUND.length());
    return before.substring(before.lastIndexOf(' ') + 1);
  }

  /** The reason in a few words, without the directory. */
  private static String reason(Throwable refusal) {
    if (refusal instanceof NoSuchFileException) {
      return "does not exist";
    }
    if (refusal instanceof AccessDeniedException) {
      return "not writable";
    }
    String message = String.valueOf(refusal.getMessage());
    // "FILE: FILE: reason" of the linker, "FILE: reason" of the file system
    int colon = message.lastIndexOf(": ");
    String reason = colon < 0 ? message : message.substring(colon + 2);
    boolean noexec = reason.startsWith("failed to map segment") || reason.equals(NOT_PERMITTED);
    return noexec ? "mounted noexec: " + reason : reason;
  }

  private static byte[] read() {
    String path = "com/sun/jna/" + platform() + "/" + FILE;
    try (InputStream in = DispatchLibrary.class.getClassLoader().getResourceAsStream(path)) {
      if (in == null) {
        throw new UnsatisfiedLinkError("no native library for " + platform());
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UnsatisfiedLinkError(path + " can't be read: " + e);
    }
  }

  /** JNA's name of this platform. */
  private static String platform() {
    String architecture = System.getProperty("os.arch");
    return "linux-" + (architecture.equals("amd64") ? "x86-64" : architecture);
  }

  /**
   * The directories to try: the configured one first, the others in case it is full or mounted
   * noexec.
   */
  private static Set<String> directories() {
    Set<String> directories = new LinkedHashSet<>();
    directories.add(System.getProperty("java.io.tmpdir", "/tmp"));
    directories.add("/tmp");
    directories.add("/var/tmp");
    directories.add("/dev/shm");
    String ofUser = System.getenv("XDG_RUNTIME_DIR");
    directories.add(ofUser == null ? "/run" : ofUser);
    directories.add(System.getProperty("user.home", "/"));
    directories.add(System.getProperty("user.dir", "/"));
    return directories;
  }

  private static void load(Path parent, byte[] library) throws IOException {
    if (!loadUnlinked(parent, library)) {
      loadByName(parent, library);
    }
  }

  /**
   * Loads the library from an unlinked file. A linked file would stay behind if the JVM ended,
   * which may happen at any time; here it exists for less than a millisecond.
   *
   * @return false if that can't be done here; then a load by name works, or has the reason
   */
  private static boolean loadUnlinked(Path parent, byte[] library) throws IOException {
    Path directory = createDirectory(parent);
    Path file = directory.resolve(FILE);
    try (RandomAccessFile held = open(directory, file)) {
      Path descriptor = descriptor(file + " (deleted)");
      if (descriptor == null) {
        return false;
      }
      held.write(library);
      System.load(descriptor.toString());
      return true;
    } catch (IOException | UnsatisfiedLinkError e) {
      return false;
    }
  }

  /** Creates a file, and unlinks it and its directory. */
  private static RandomAccessFile open(Path directory, Path file) throws IOException {
    try {
      return new RandomAccessFile(file.toFile(), "rw");
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  /**
   * The path of a file's descriptor, below /proc/thread-self; null if there is none, or too many
   * descriptors. The linker takes equal names for the same library, and others may have loaded one
   * by a path in /proc/self/fd.
   */
  private static Path descriptor(String target) throws IOException {
    String[] numbers = DESCRIPTORS.toFile().list();
    if (numbers == null || numbers.length > MOST_DESCRIPTORS) {
      return null;
    }
    for (String number : numbers) {
      Path descriptor = DESCRIPTORS.resolve(number);
      try {
        if (Files.readSymbolicLink(descriptor).toString().equals(target)) {
          return descriptor;
        }
      } catch (IOException e) {
        continue; // closed meanwhile
      }
    }
    return null;
  }

  private static void loadByName(Path parent, byte[] library) throws IOException {
    Path directory = createDirectory(parent);
    Path file = directory.resolve(FILE);
    try {
      Files.createFile(file);
      // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
      try (OutputStream out = new FileOutputStream(file.toFile())) {
        out.write(library);
      }
      System.load(file.toString());
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  /**
   * Creates a directory. Not by Files.createTempDirectory, whose SecureRandom would initialise the
   * security providers before the application could configure them; a guessed name only costs
   * another attempt.
   */
  static Path createDirectory(Path parent) throws IOException {
    Path absolute = parent.toRealPath();
    for (Path p = absolute; p != null; p = p.getParent()) {
      mustBeTrusted(p);
    }
    FileAttribute<?> ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    // Not by ProcessHandle, whose first use takes 10 ms.
    Path pid = Files.readSymbolicLink(SELF);
    for (int attempt = 1; ; attempt++) {
      String name = "stackweave-" + pid + "-" + Long.toHexString(System.nanoTime());
      try {
        return Files.createDirectory(absolute.resolve(name), ownerOnly);
      } catch (FileAlreadyExistsException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Refuses a directory that another user could replace, or any of its parents: that user would
   * choose what is loaded. A sticky one, such as /tmp, may be writable for all.
   */
  private static void mustBeTrusted(Path directory) throws IOException {
    int mode = (Integer) Files.getAttribute(directory, "unix:mode");
    Object owner = Files.getAttribute(directory, "unix:uid");
    if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0) {
      throw new IOException(directory + " lets others exchange the files in it");
    }
    // In a user namespace the machine's root has the id of nobody; the owner of the root directory
    // controls everything anyway.
    if (!owner.equals(ROOT)
        && !owner.equals(Files.getAttribute(SELF, "unix:uid"))
        && !owner.equals(Files.getAttribute(directory.getRoot(), "unix:uid"))) {
      throw new IOException(directory + " belongs to another user");
    }
  }
}
