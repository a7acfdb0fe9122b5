package stackweave.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where code of ours may be put for a moment. */
class DispatchLibraryTest {
  @TempDir Path top;

  private Path directory(String name, String permissions) throws IOException {
    Path directory = Files.createDirectories(top.resolve(name));
    return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void aDirectoryOfOthersIsRefusedAndSoIsWhatIsInIt() throws IOException {
    for (String permissions : new String[] {"rwxrwxr-x", "rwxr-xrwx"}) {
      Path shared = directory("shared", permissions);
      Path below = directory("shared/own", "rwx------");
      assertRefused(shared, shared + " lets others exchange the files in it");
      assertRefused(below, shared + " lets others exchange the files in it");
    }
    Path own = directory("own", "rwx------");
    assertTrue(Files.isDirectory(DispatchLibrary.createDirectory(own)));
  }

  @Test
  void anotherUsersDirectoryIsRefused() throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0),
        "only root can give directories away");
    Path foreign = directory("foreign", "rwxr-xr-x");
    Path below = directory("foreign/own", "rwx------");
    Files.setAttribute(foreign, "unix:uid", 65534);
    assertRefused(below, foreign + " belongs to another user");
  }

  @Test
  void aStickyOneIsFine() throws Exception {
    Path sticky = directory("sticky", "rwxrwxrwx");
    assertEquals(0, new ProcessBuilder("chmod", "+t", sticky.toString()).start().waitFor());
    assertTrue(Files.isDirectory(DispatchLibrary.createDirectory(sticky)));
  }

  /** The messages are those that musl's loader makes (ldso/dynlink.c). */
  @Test
  void aFunctionThatTheCLibraryLacksIsNamed() {
    String file = "/proc/thread-self/fd/7";
    assertEquals(
        "__strdup", missing(file + ": Error relocating " + file + ": __strdup: symbol not found"));
    assertNull(missing(file + ": Error loading shared library " + file + ": Permission denied"));
    assertNull(missing(null));
  }

  private static String missing(String message) {
    return DispatchLibrary.missingFunction(new UnsatisfiedLinkError(message));
  }

  private static void assertRefused(Path directory, String message) throws IOException {
    assertEquals(
        message,
        assertThrows(IOException.class, () -> DispatchLibrary.createDirectory(directory))
            .getMessage());
    try (Stream<Path> files = Files.list(directory)) {
      assertTrue(files.noneMatch(file -> file.getFileName().toString().startsWith("stackweave")));
    }
  }
}
