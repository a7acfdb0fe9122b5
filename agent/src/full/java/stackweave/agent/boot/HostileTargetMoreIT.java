package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;

/** More of what such processes can do. */
class HostileTargetMoreIT extends HostileProcess {
  /** What is taken out of it when the process is killed is its user's, too. */
  @ParameterizedTest
  @CsvSource({
    "repository-of-root, JFR had not yet written anything",
  })
  void nothingOfOthersIsTakenFromARepository(String attack, String why) throws Exception {
    assertNotTaken(attack, why);
  }

  @ParameterizedTest
  @CsvSource({
    "at-start-relative-link, is no regular file",
    "at-start-absolute-link, is no regular file",
    "at-start-fifo, is no regular file",
    "at-start-second-link, has a second name",
    "at-start-device, is no regular file",
    "mount, did not write its recording",
    "fifo, did not write its recording",
  })
  void whatIsNoRecordingOfItsUserIsNotFetched(String attack, String why) throws Exception {
    assertNotFetched(attack, why);
  }

  /** What is mounted over the jar while it is written is not given away. */
  @Test
  void nothingIsChowned() throws Exception {
    Path source = Files.writeString(directory.resolve("mounts.c"), MOUNTS_OVER);
    Path program = directory.resolve("mounts");
    Commands.output("gcc", "-o", program, source);
    Path exchange = Files.createDirectory(temporary.resolve(".stackweave-0"));
    Files.setPosixFilePermissions(exchange, PosixFilePermissions.fromString("rwx------"));
    Files.setAttribute(exchange, "unix:uid", NOBODY);
    // Nobody can read the command's own jar.
    Path jar = Files.copy(Jars.AGENT, results.resolve("agent.jar"));
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-------"));
    Process target =
        startIn("(" + program + " " + secret + " " + exchange + " &) ; exec ", "none", temporary);
    Ended result = run(java(), "-jar", jar, "attach", target.pid());
    assertFalse(result.err().contains("unexpected"), result.err());
    assertSecretIsKept();
  }

  /** An absolute link leads to a directory of the machine's, if the machine follows it. */
  @Test
  void aLinkInItsRootLeadsNoFurther() throws Exception {
    Path ofRoot = Files.createDirectory(directory.resolve("of-root"));
    Files.setPosixFilePermissions(ofRoot, PosixFilePermissions.fromString("rwx------"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), ofRoot);
    Process target = start("none", link);
    command("record", target.pid(), "--inside", "-d", "1s", "-o", results.resolve("rec.jfr"));
    assertEquals(List.of(), filesIn(ofRoot));
  }

  /** Its user is another in its own sight, and takes no other user's request, root's included. */
  @Test
  void aJvmInAUserNamespaceIsReachedAsItsUser() throws Exception {
    copyClass(BurnsCpu.class);
    String command =
        String.join(
            " ",
            "mount -t tmpfs tmpfs /tmp && exec",
            openJava(),
            "-cp",
            directory.resolve("classes").toString(),
            BurnsCpu.class.getName(),
            "900");
    Process target = launch(command);
    awaitRunning(target);
    Path output = results.resolve("rec.jfr");
    Ended result =
        command("record", target.pid(), "--inside", "-d", "2s", "-o", output, "--settings=none");
    assertEquals(0, result.exit(), result.err());
    assertTrue(Files.size(output) > 0);
    Path there = Path.of("/proc/" + target.pid() + "/root/tmp/.stackweave-0");
    assertEquals(List.of(), filesIn(there), "left behind");
    command("attach", target.pid());
    Ended off = run(ForkedJvm.agentCommand("off", "--pid", target.pid()));
    assertEquals(0, off.exit(), off.out() + off.err());
    assertTrue(Files.exists(there.resolve("off")));
    assertEquals(NOBODY, Files.getAttribute(there.resolve("off"), "unix:uid"));
    Ended again =
        command("record", target.pid(), "--inside", "-d", "1s", "-o", output, "--settings=none");
    assertTrue(again.err().contains("switched off by /tmp/.stackweave-0/off"), again.err());
  }

  private static final String MOUNTS_OVER =
      """
      #include <dirent.h>
      #include <sched.h>
      #include <sys/mount.h>
      #include <time.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        if (chdir(arguments[2]))
          return 1;
        for (time_t start = time(0); time(0) - start < 60; sched_yield()) {
          DIR *directory = opendir(".");
          for (struct dirent *file; directory && (file = readdir(directory));)
            if (file->d_name[0] != '.')
              return mount(arguments[1], file->d_name, 0, MS_BIND, 0);
          closedir(directory);
        }
        return 1;
      }
      """;
}
