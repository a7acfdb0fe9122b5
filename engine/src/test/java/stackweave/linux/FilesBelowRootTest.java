package stackweave.linux;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.process.SampledProcess;
import stackweave.testing.Commands;

/** Root reads files of another user's process, which lays what it likes in the way. */
class FilesBelowRootTest {
  private static final int NOBODY = 65534;

  @TempDir Path directory;
  private Process target;
  private SampledProcess process;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(OwnDirectory.effectiveUid() == 0, "only root reads another user's process");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    start("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "sleep", "1000");
  }

  private void start(String... command) throws Exception {
    target = new ProcessBuilder(command).start();
    process = SampledProcess.other((int) target.pid());
    while (!Files.readString(process.directory().resolve("comm")).equals("sleep\n")) {
      Thread.sleep(5);
    }
  }

  @AfterEach
  void end() throws Exception {
    if (target != null) {
      target.destroyForcibly().waitFor();
    }
  }

  private <T> T asTarget(Callable<T> action) throws Exception {
    FileRights rights = FileRights.of(process);
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              rights.take();
              return action.call();
            });
    Thread thread = new Thread(task);
    thread.start();
    thread.join();
    return task.get();
  }

  private Path secret() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "root's");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    return secret;
  }

  @Test
  void aLinkToRootsFileLeadsToNothing() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("library.so"), secret());
    Path open = Files.writeString(directory.resolve("open"), "everybody's");
    asTarget(
        () -> {
          try (FilesBelowRoot files = FilesBelowRoot.of(process)) {
            assertThrows(AccessDeniedException.class, () -> files.open(link));
            assertThrows(AccessDeniedException.class, () -> files.open(Path.of("/etc/shadow")));
            assertEquals("everybody's", text(files, open));
            assertThrows(NoSuchFileException.class, () -> files.open(directory.resolve("none")));
          }
          return null;
        });
  }

  /** Opening one waits for a writer, or does something. */
  @Test
  void whatIsNoFileIsNotOpened() throws Exception {
    Path pipe = directory.resolve("pipe");
    Commands.output("mkfifo", "-m", "644", pipe);
    Path device = Files.createSymbolicLink(directory.resolve("device"), Path.of("/dev/zero"));
    Path magic = Files.createSymbolicLink(directory.resolve("magic"), Path.of("/proc/self/exe"));
    asTarget(
        () -> {
          try (FilesBelowRoot files = FilesBelowRoot.of(process)) {
            for (Path path : new Path[] {pipe, device, magic, directory, Path.of("/dev/zero")}) {
              assertThrows(FileSystemException.class, () -> files.open(path), path.toString());
            }
          }
          return null;
        });
  }

  /** Paths in maps are from the root that this process shares with it. */
  @Test
  void aProcessInARootOfItsOwnHasItsFiles() throws Exception {
    end();
    Path root = Files.createDirectory(directory.resolve("root"));
    for (String mounted : new String[] {"usr", "lib", "lib64", "bin"}) {
      if (Files.exists(Path.of("/" + mounted))) {
        Files.createDirectory(root.resolve(mounted));
      }
    }
    start(
        "unshare",
        "--mount",
        "sh",
        "-c",
        "for each in $(ls \"$1\"); do mount --rbind /$each \"$1/$each\"; done; echo inside >"
            + " \"$1/file\"; ln -s /file \"$1/link\"; ln -s ../../secret \"$1/out\"; exec chroot"
            + " \"$1\" sleep 1000",
        "sh",
        root.toString());
    secret();
    asTarget(
        () -> {
          try (FilesBelowRoot files = FilesBelowRoot.of(process)) {
            assertEquals("inside\n", text(files, Path.of("/link")));
            assertEquals("inside\n", text(files, root.resolve("file")));
            assertThrows(NoSuchFileException.class, () -> files.open(Path.of("/out")));
            String sleep =
                Files.readAllLines(process.directory().resolve("maps")).stream()
                    .filter(line -> line.endsWith("sleep"))
                    .map(line -> line.substring(line.indexOf('/')))
                    .findFirst()
                    .orElseThrow();
            assertTrue(sleep.startsWith(root.toString()), sleep);
            try (Descriptor program = files.open(Path.of(sleep))) {
              assertArrayEquals(
                  Files.readAllBytes(process.directory().resolve("exe")),
                  Files.readAllBytes(program.path()));
            }
          }
          return null;
        });
  }

  /** By map_files, which needs a capability that the thread keeps. */
  @Test
  void aMappedFileIsFoundByItsMapping() throws Exception {
    String first = Files.readAllLines(process.directory().resolve("maps")).get(0);
    Path mapped =
        process.directory().resolve("map_files/" + first.split(" ")[0].replaceAll("^0+", ""));
    byte[] content =
        asTarget(
            () -> {
              try (FilesBelowRoot files = FilesBelowRoot.of(process);
                  Descriptor file = files.open(mapped)) {
                return Files.readAllBytes(file.path());
              }
            });
    assertArrayEquals(Files.readAllBytes(process.directory().resolve("exe")), content);
  }

  /** What is the command's own, such as the recording. */
  @Test
  void aThreadHasItsOwnRightsBackForAMoment() throws Exception {
    Path secret = secret();
    FileRights rights = FileRights.of(process);
    asTarget(
        () -> {
          Path created = directory.resolve("created");
          assertThrows(AccessDeniedException.class, () -> Files.createFile(created));
          assertEquals("root's", rights.own(() -> read(secret)));
          assertEquals(0, rights.own(() -> owner(created)));
          assertThrows(AccessDeniedException.class, () -> Files.readString(secret));
          String status = Files.readString(Path.of("/proc/thread-self/status"));
          assertTrue(status.contains("Uid:\t0\t0\t0\t" + NOBODY + "\n"), status);
          assertTrue(status.contains("Gid:\t0\t0\t0\t" + NOBODY + "\n"), status);
          return null;
        });
  }

  /** It is no longer that of the process, which has another one by then. */
  @Test
  void memoryEndsWithTheProgram() throws Exception {
    end();
    target = new ProcessBuilder("sh", "-c", "read line; exec sleep 1000").start();
    process = SampledProcess.other((int) target.pid());
    try (ProcessMemory memory = new ProcessMemory(process, MemoryAccess.AUTO)) {
      assertEquals("", memory.denial());
      assertEquals(false, memory.isGone());
      target.getOutputStream().write('\n');
      target.getOutputStream().flush();
      while (!Files.readString(process.directory().resolve("comm")).equals("sleep\n")) {
        Thread.sleep(5);
      }
      assertTrue(memory.isGone());
      assertTrue(process.hasMemory());
      end();
      assertEquals(false, process.hasMemory());
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int owner(Path created) {
    try {
      return FileFacts.of(Files.createFile(created)).uid();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String text(FilesBelowRoot files, Path path) throws IOException {
    try (Descriptor file = files.open(path)) {
      return Files.readString(file.path());
    }
  }
}
