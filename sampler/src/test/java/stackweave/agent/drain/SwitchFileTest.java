package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.message.Messages;
import stackweave.linux.FileRights;
import stackweave.linux.OwnDirectory;

/** When a switch file counts. */
class SwitchFileTest {
  @TempDir Path parent;
  private final List<String> said = new ArrayList<>();

  private Path present(Path file) {
    return new SwitchFile(FileRights.UNCHANGED, file.toString(), new Messages(said::add)).present();
  }

  private Path directory(String name, String permissions) throws IOException {
    Path directory = Files.createDirectory(parent.resolve(name));
    return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void countsWhileItIsThere() throws IOException {
    Path file = directory("own", "rwxr-xr-x").resolve("off");
    SwitchFile switchFile =
        new SwitchFile(FileRights.UNCHANGED, file.toString(), new Messages(said::add));
    assertNull(switchFile.present());
    Files.createFile(file);
    assertEquals(file, switchFile.present());
    Files.delete(file);
    assertNull(switchFile.present());
    assertNull(present(parent.resolve("no/such/off")));
    assertEquals(List.of(), said);
  }

  @Test
  void doesNotCountWhereOthersHaveAHand() throws IOException {
    Path shared = directory("shared", "rwxrwxrwx");
    assertIgnored(Files.createFile(shared.resolve("off")), "can be written by others");
    Path own = directory("own", "rwx------");
    Files.createFile(own.resolve("off"));
    Path link = Files.createSymbolicLink(parent.resolve("link"), own);
    assertIgnored(link.resolve("off"), "is no directory");
  }

  /** Whoever may write to a directory on the way can put another in its place. */
  @Test
  void doesNotCountBelowWhereOthersHaveAHand() throws IOException {
    for (String permissions : new String[] {"rwxrwxr-x", "rwxr-xrwx"}) {
      Path shared = directory("above-" + permissions, permissions);
      Path own = Files.createDirectory(shared.resolve("own"));
      Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwx------"));
      assertIgnored(
          Files.createFile(own.resolve("off")), "is in " + shared + ", which can be written by");
    }
    Path group = directory("group", "rwxrwx---");
    assertIgnored(Files.createFile(group.resolve("off")), "can be written by others");
  }

  @Test
  void whereItIsLookedForFirstNobodyElseCanBeFirst() {
    assertArrayEquals(
        new String[] {"/run/user/1000/stackweave-off", "/tmp/.stackweave-1000/off"},
        SwitchPlaces.usual(1000));
  }

  @Test
  void doesNotCountInAnotherUsersDirectory() throws IOException {
    assumeTrue(OwnDirectory.effectiveUid() == 0, "only root can give directories away");
    Path foreign = directory("foreign", "rwxr-xr-x");
    Files.createFile(foreign.resolve("off"));
    Files.setAttribute(foreign, "unix:uid", 65534);
    assertIgnored(foreign.resolve("off"), "belongs to another user");
  }

  /** Root's /var/run is followed; whoever owns a link, or may make one, chooses where it leads. */
  @Test
  void onlyTrustedLinksOnTheWayAreFollowed() throws IOException {
    Path own = Files.createDirectory(directory("real", "rwx------").resolve("own"));
    Files.createFile(own.resolve("off"));
    Path link = Files.createSymbolicLink(parent.resolve("way"), Path.of("./real"));
    assertEquals(link.resolve("own/off"), present(link.resolve("own/off")));
    Path shared = directory("anybodys", "rwxrwxrwx");
    Path made = Files.createSymbolicLink(shared.resolve("way"), own.getParent());
    assertIgnored(made.resolve("own/off"), "is in " + shared + ", which can be written by others");
    Path second = Files.createSymbolicLink(parent.resolve("to-it"), made);
    assertIgnored(
        second.resolve("own/off"), "is in " + shared + ", which can be written by others");
    assumeTrue(OwnDirectory.effectiveUid() == 0, "only root can give links away");
    Files.setAttribute(link, "unix:uid", 65534, LinkOption.NOFOLLOW_LINKS);
    assertIgnored(
        link.resolve("own/off"), "is behind the link " + link + ", which belongs to another user");
  }

  private void assertIgnored(Path file, String why) {
    said.clear();
    assertNull(present(file));
    assertTrue(said.get(0).contains(file + " does not count: its directory " + why), said.get(0));
  }
}
