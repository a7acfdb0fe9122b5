package stackweave.agent.cli.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Commands;

/** Which processes of a /proc that the test writes are JVMs that are meant. */
class JvmSearchTest {
  private static final String LIBJVM = "7f00-7f01 r-xp 0 0:0 1 /jdk/lib/server/libjvm.so\n";
  private static final String LIBC = "7f00-7f01 r-xp 0 0:0 1 /lib/libc.so.6\n";

  @TempDir private Path proc;

  private void process(int pid, int image, int uid, String maps, String... words)
      throws IOException {
    Path directory = Files.createDirectories(proc.resolve("" + pid));
    String stat = pid + " (a) b) S" + " 1".repeat(22) + " " + image + " 1".repeat(30);
    Files.writeString(directory.resolve("stat"), stat);
    Files.writeString(directory.resolve("status"), "Uid:\t0\t" + uid + "\t0\t0\n");
    Files.writeString(directory.resolve("maps"), maps);
    Files.writeString(directory.resolve("cgroup"), "1:cpu:/x\n0::/pods/" + pid + "/inner\n");
    Files.writeString(directory.resolve("cmdline"), String.join("\0", words) + "\0");
  }

  private void cgroup(int pid, String path) throws IOException {
    Files.writeString(proc.resolve(pid + "/cgroup"), "0::" + path + "\n");
  }

  private JvmSearch search(String match, String cgroup) {
    return new JvmSearch(proc, Pattern.compile(match), cgroup, Long.MAX_VALUE / 100);
  }

  private static List<Integer> pids(JvmSearch search) throws IOException {
    return search.look().stream().map(JvmSearch.Jvm::pid).toList();
  }

  @Test
  void jvmsAreFoundByTheirCommandLine() throws IOException {
    process(11, 1, 1000, LIBC + LIBJVM, "java", "-Xmx1g", "-jar", "orders.jar");
    process(12, 1, 0, LIBJVM, "/jdk/bin/java", "-cp", "x", "bills.Main");
    process(13, 1, 0, LIBC, "grep", "java", "-jar", "orders.jar");
    process(14, 1, 0, LIBJVM, "java", "-jar", "/opt/stackweave-agent.jar", "record", "orders");
    process(15, 1, 0, LIBJVM, "java", "-javaagent:/opt/stackweave-agent.jar", "orders.Main");
    assertEquals(List.of(11, 15), pids(search("java.*orders", "")));
    assertEquals(List.of(12), pids(search("java -cp x bills", "")));
    assertEquals(List.of(11, 12, 15), pids(search("", "")));
    JvmSearch.Jvm first = search("Xmx", "").look().get(0);
    assertEquals(1000, first.uid());
    assertEquals("orders.jar", first.name());
  }

  /**
   * As {@code mvn dependency:copy} names the jar; a command has its name a moment after it began.
   */
  @Test
  void aCommandIsKnownByItsProcess() throws IOException {
    process(11, 1, 0, LIBJVM, "java", "-jar", "agent-0.9.0.jar", "record", "orders");
    process(12, 1, 0, LIBJVM, "java", "-jar", "agent-0.9.0.jar");
    JvmSearch search = search("", "");
    assertEquals(List.of(11, 12), pids(search));
    Files.writeString(proc.resolve("11/comm"), "stackweave\n");
    Files.writeString(proc.resolve("12/comm"), "stackweave-like\n");
    assertEquals(List.of(12), pids(search));
  }

  @Test
  void aCgroupCountsWithThoseBelowIt() throws IOException {
    process(11, 1, 0, LIBJVM, "java");
    process(12, 1, 0, LIBJVM, "java");
    assertEquals(List.of(11), pids(search("", "/pods/11")));
    assertEquals(List.of(11), pids(search("", "/pods/11/inner/")));
    assertEquals(List.of(), pids(search("", "/pods/1")));
    assertEquals(List.of(11, 12), pids(search("", "/")));
  }

  /** As a container sees them: its own is "/", and that of all pods may be "/../..". */
  @Test
  void aCgroupOutsideOfTheNamespaceIsRelative() throws IOException {
    for (int pid = 11; pid <= 14; pid++) {
      process(pid, 1, 0, LIBJVM, "java");
    }
    cgroup(11, "/../../pod1/inner");
    cgroup(12, "/..");
    cgroup(13, "/../../../system.slice");
    cgroup(14, "/");
    assertEquals(List.of(11, 12, 14), pids(search("", "/../..")));
    assertEquals(List.of(11), pids(search("", "/../../pod1/")));
    assertEquals(List.of(12, 14), pids(search("", "/../")));
    assertEquals(List.of(13), pids(search("", "/../../../system.slice")));
  }

  @Test
  void anExecMakesAnotherOne() throws IOException {
    process(11, 1, 0, LIBC, "sh", "start-orders");
    JvmSearch search = search("orders", "");
    assertEquals(List.of(), pids(search));
    process(11, 2, 0, LIBJVM, "java", "orders");
    List<JvmSearch.Jvm> first = search.look();
    assertEquals(11, first.get(0).pid());
    assertEquals(first, search.look());
    process(11, 3, 0, LIBJVM, "java", "orders");
    List<JvmSearch.Jvm> second = search.look();
    assertFalse(second.isEmpty() || second.equals(first), second::toString);
    process(11, 4, 0, LIBJVM, "java", "bills");
    assertEquals(List.of(), pids(search));
  }

  @Test
  void aLibraryThatIsLoadedLateIsSeenLater() throws IOException {
    process(11, 1, 0, LIBC, "launcher");
    JvmSearch search = search("launcher", "");
    for (int i = 0; i < 20; i++) {
      assertEquals(List.of(), pids(search));
    }
    process(11, 1, 0, LIBC + LIBJVM, "launcher");
    int looks = 0;
    while (pids(search).isEmpty()) {
      looks++;
      assertTrue(looks < 64, "looks");
    }
  }

  /** As where a process has its memory from a file system of its own. */
  @Test
  @Timeout(60)
  void thoseThatDoNotAnswerHoldUpNoOther() throws Exception {
    Path first = silent(11, 1000);
    for (int pid = 12; pid < 36; pid++) {
      silent(pid, 1000);
    }
    process(36, 1, 0, LIBJVM, "java", "orders");
    process(37, 1, 1000, LIBJVM, "java", "orders");
    JvmSearch search = new JvmSearch(proc, Pattern.compile("orders"), "", JvmSearch.WAIT_NANOS);
    while (pids(search).isEmpty()) {
      Thread.sleep(10); // on a busy machine no process may answer in time
    }
    assertEquals(List.of(36), pids(search), "of this user too many do not answer");
    // Not for writing alone: a reader that has given up would break such a pipe.
    try (RandomAccessFile pipe = new RandomAccessFile(first.toFile(), "rw")) {
      for (int i = 0; !pids(search).equals(List.of(11, 36)); i++) {
        if (i % 100 == 0) {
          pipe.write(LIBJVM.getBytes(StandardCharsets.UTF_8)); // whoever reads it goes on
        }
        Thread.sleep(10);
      }
    }
  }

  /** A JVM whose mappings can't be read before somebody writes to the path that is returned. */
  private Path silent(int pid, int uid) throws Exception {
    process(pid, 1, uid, "", "java", "orders");
    Path maps = proc.resolve(pid + "/maps");
    Files.delete(maps);
    Commands.run("mkfifo", maps).successfully();
    return maps;
  }

  @Test
  @Timeout(60)
  void anExpressionThatTakesForeverFindsNothing() {
    String text = "a".repeat(100_000);
    assertFalse(JvmSearch.contains(text, Pattern.compile("(a*)*b")));
    assertFalse(JvmSearch.contains(text, Pattern.compile("a*a*a*a*b")));
    assertFalse(JvmSearch.contains(text, Pattern.compile("(a|aa)+b")));
    assertTrue(JvmSearch.contains(text + "b", Pattern.compile("ab")));
  }
}
