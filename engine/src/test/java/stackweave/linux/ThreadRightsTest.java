package stackweave.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thread that acts as another user, and what is opened from a directory's descriptor. */
class ThreadRightsTest {
  @TempDir Path directory;

  private static <T> T onThread(Callable<T> action) throws Exception {
    FutureTask<T> task = new FutureTask<>(action);
    Thread thread = new Thread(task);
    thread.start();
    thread.join();
    return task.get();
  }

  private static String status(String name) throws IOException {
    return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip().replaceAll("\\s+", " "))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void oneThreadHasAnothersRightsAndNoCapability() throws Exception {
    assumeTrue(OwnDirectory.effectiveUid() == 0, "only root acts as others");
    Path secret = Files.writeString(directory.resolve("secret"), "root's");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    onThread(
        () -> {
          ThreadRights.actAs(65534, 65533, new int[] {7, 8});
          // Real, effective, saved, file system: real and saved are root's, so that the other
          // user may neither trace nor signal.
          assertEquals("0 65534 0 65534", status("Uid"));
          assertEquals("0 65533 0 65533", status("Gid"));
          assertEquals("7 8", status("Groups"));
          assertEquals("0000000000000000", status("CapEff"));
          try (Descriptor top = Descriptor.directory(directory.toString())) {
            assertThrows(AccessDeniedException.class, () -> text(top.look("secret")));
            Path created = top.path().resolve("new");
            assertThrows(AccessDeniedException.class, () -> Files.createFile(created));
          }
          return null;
        });
    assertEquals("0 0 0 0", status("Uid"));
    assertEquals("root's", Files.readString(secret));
  }

  @Test
  void rootWithoutCapabilitiesIsAUserLikeOthers() throws Exception {
    assumeTrue(OwnDirectory.effectiveUid() == 0, "only root has capabilities");
    Path secret = Files.writeString(directory.resolve("secret"), "another's");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    Files.setAttribute(secret, "unix:uid", 65534);
    onThread(
        () -> {
          ThreadRights.actAs(0, 0, new int[0]);
          assertThrows(AccessDeniedException.class, () -> Files.readString(secret));
          return null;
        });
    assertEquals("another's", Files.readString(secret));
  }

  @Test
  void aPathLeadsNowhereOutOfItsRoot() throws Exception {
    Path root = Files.createDirectory(directory.resolve("root"));
    Files.createDirectory(root.resolve("a"));
    Files.writeString(root.resolve("a/file"), "inside");
    Files.writeString(directory.resolve("file"), "outside");
    Files.createSymbolicLink(root.resolve("absolute"), Path.of("/a/file"));
    Files.createSymbolicLink(root.resolve("up"), Path.of("../../file"));
    Files.createSymbolicLink(root.resolve("machine"), directory.resolve("file"));
    Files.createSymbolicLink(root.resolve("proc"), Path.of("/proc/self/root"));
    try (Descriptor top = Descriptor.directory(root.toString());
        Descriptor all = Descriptor.directory("/")) {
      assertEquals("inside", text(top.find("/a/file")));
      assertEquals("inside", text(top.find("/absolute")));
      assertThrows(NoSuchFileException.class, () -> top.find("/up"));
      assertThrows(NoSuchFileException.class, () -> top.find("/machine"));
      assertThrows(FileSystemException.class, () -> top.findWithoutLinks("/absolute"));
      // A link that no text of a path stands behind.
      assertThrows(FileSystemException.class, () -> all.find("/proc/self/root/etc"));
      assertEquals("inside", text(top.walk("//a/./file")));
      for (String path : new String[] {"/absolute", "/a/../a/file", "/proc/etc"}) {
        assertThrows(FileSystemException.class, () -> top.walk(path), path);
      }
    }
  }

  /** Of a link that was looked at, not of what it leads to. */
  @Test
  void whatIsOpenIsKnownWhateverItsNameIs() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "here");
    Files.createSymbolicLink(directory.resolve("link"), file);
    try (Descriptor top = Descriptor.directory(directory.toString());
        Descriptor link = top.look("link");
        Descriptor open = top.look("file")) {
      assertTrue(link.facts().isLink());
      Files.move(file, directory.resolve("moved"));
      Files.writeString(file, "another");
      assertTrue(open.facts().isSameFileAs(FileFacts.of(directory.resolve("moved"))));
      assertFalse(open.facts().isSameFileAs(FileFacts.of(file)));
      assertEquals("here", Files.readString(open.path()));
    }
  }

  private static String text(Descriptor found) throws IOException {
    try (found) {
      return Files.readString(found.path());
    }
  }
}
