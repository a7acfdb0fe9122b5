package stackweave.agent.jna;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Loads JNA's native half, always our own copy: into a directory that only we may enter, created
 * exclusively, and unlinked as soon as it is mapped. Properties meant for the application's JNA
 * change nothing here.
 */
public final class DispatchLibrary {

  private static final String FILE = "libjnidispatch.so";

  private static final int ATTEMPTS = 16;
  private static final int WORLD_WRITABLE = 0002;
  private static final int STICKY = 01000;

  private DispatchLibrary() {}

  /**
   * Called by the static initialiser of com.sun.jna.Native.
   *
   * @throws UnsatisfiedLinkError if no directory could be written, or none may hold code
   */
  public static void load() {
    byte[] library = read();
    StringBuilder refusals = new StringBuilder();
    for (String directory : directories()) {
      try {
        load(Path.of(directory), library);
        return;
      } catch (IOException | InvalidPathException | UnsatisfiedLinkError e) {
        refusals.append(refusals.length() == 0 ? "" : "; ").append(e);
      }
    }
    throw new UnsatisfiedLinkError("no directory to load " + FILE + " from: " + refusals);
  }

  private static byte[] read() {
    String path = "/com/sun/jna/" + platform() + "/" + FILE;
    try (InputStream in = DispatchLibrary.class.getResourceAsStream(path)) {
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

  /** The configured one first; the others for the case that it is full, or mounted noexec. */
  private static Set<String> directories() {
    Set<String> directories = new LinkedHashSet<>();
    directories.add(System.getProperty("java.io.tmpdir", "/tmp"));
    directories.add("/tmp");
    directories.add("/var/tmp");
    directories.add("/dev/shm");
    return directories;
  }

  private static void load(Path parent, byte[] library) throws IOException {
    Path directory = createDirectory(parent);
    Path file = directory.resolve(FILE);
    try {
      try (OutputStream out =
          Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        out.write(library);
      }
      System.load(file.toString());
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  /**
   * Not Files.createTempDirectory: its SecureRandom would initialise the security providers before
   * the application could configure them. A name that somebody guessed only costs another attempt.
   */
  private static Path createDirectory(Path parent) throws IOException {
    Path absolute = parent.toRealPath();
    int mode = (Integer) Files.getAttribute(absolute, "unix:mode");
    if ((mode & WORLD_WRITABLE) != 0 && (mode & STICKY) == 0) {
      throw new IOException(absolute + " lets every user exchange the files in it");
    }
    FileAttribute<?> ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    for (int attempt = 1; ; attempt++) {
      String name =
          "stackweave-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
      try {
        return Files.createDirectory(absolute.resolve(name), ownerOnly);
      } catch (FileAlreadyExistsException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
