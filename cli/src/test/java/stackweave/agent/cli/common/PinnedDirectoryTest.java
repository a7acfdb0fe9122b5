package stackweave.agent.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** As the JDK's own stream on glibc: files are those of the directory that was opened. */
class PinnedDirectoryTest {
  private static final Set<StandardOpenOption> EXCLUSIVE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

  @TempDir Path top;

  @Test
  void filesStayInTheDirectoryThatWasOpened() throws IOException {
    Path chosen = Files.createDirectory(top.resolve("chosen"));
    Path moved = top.resolve("moved");
    try (PinnedDirectory directory = new PinnedDirectory(chosen)) {
      Files.move(chosen, moved);
      Path other = Files.createDirectory(chosen);
      write(directory, "part", "new");
      Files.writeString(moved.resolve("file"), "old");
      directory.move(Path.of("part"), directory, Path.of("file"));
      assertEquals("new", Files.readString(moved.resolve("file")));
      assertEquals("rw-------", permissions(directory, "file"));
      assertFalse(Files.exists(other.resolve("file")));
      directory.deleteFile(Path.of("file"));
      assertFalse(Files.exists(moved.resolve("file")));
      assertThrows(NoSuchFileException.class, () -> permissions(directory, "file"));
    }
  }

  @Test
  void linksAreNotFollowed() throws IOException {
    Path target = Files.writeString(top.resolve("target"), "kept");
    Files.createSymbolicLink(top.resolve("link"), target);
    try (PinnedDirectory directory = new PinnedDirectory(top)) {
      assertThrows(FileAlreadyExistsException.class, () -> write(directory, "link", "new"));
      PosixFileAttributeView link =
          directory.getFileAttributeView(
              Path.of("link"), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
      assertTrue(link.readAttributes().isSymbolicLink());
      assertEquals(
          Files.getOwner(top),
          directory.getFileAttributeView(PosixFileAttributeView.class).readAttributes().owner());
    }
    assertEquals("kept", Files.readString(target));
  }

  private static void write(PinnedDirectory directory, String name, String text)
      throws IOException {
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (SeekableByteChannel out = directory.newByteChannel(Path.of(name), EXCLUSIVE, ownerOnly)) {
      out.write(ByteBuffer.wrap(text.getBytes()));
    }
  }

  private static String permissions(PinnedDirectory directory, String name) throws IOException {
    return PosixFilePermissions.toString(
        directory
            .getFileAttributeView(
                Path.of(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .readAttributes()
            .permissions());
  }
}
