package stackweave.engine.perf.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Which directory perf events can be of, by lines of /proc/PID/cgroup and /proc/PID/mountinfo as
 * systems have them.
 */
class OwnCgroupTest {
  private static final List<String> UNIFIED =
      List.of(
          "22 27 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw",
          "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2"
              + " rw,nsdelegate,memory_recursiveprot");

  private static final List<String> VERSION_1 =
      List.of(
          "25 18 0:21 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:9 - tmpfs tmpfs ro,mode=755",
          "26 25 0:22 / /sys/fs/cgroup/systemd rw,nosuid shared:10 - cgroup cgroup"
              + " rw,xattr,name=systemd",
          "31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:14 - cgroup cgroup"
              + " rw,cpu,cpuacct",
          "33 25 0:29 / /sys/fs/cgroup/perf_event rw,nosuid,nodev,noexec,relatime shared:16 -"
              + " cgroup cgroup rw,perf_event");

  private static void assertDirectory(String directory, List<String> groups, List<String> mounts) {
    assertEquals(Path.of(directory), OwnCgroup.directory(groups, mounts));
  }

  @Test
  void aUnitOfSystemd() {
    assertDirectory(
        "/sys/fs/cgroup/system.slice/app.service",
        List.of("0::/system.slice/app.service"),
        UNIFIED);
  }

  /** A name with a colon in it, as systemd gives to devices. */
  @Test
  void onlyTheFirstTwoColonsDivide() {
    assertDirectory(
        "/sys/fs/cgroup/system.slice/a:b.service",
        List.of("0::/system.slice/a:b.service"),
        UNIFIED);
  }

  /** Its own namespace of groups, as Docker gives with version 2. */
  @Test
  void aContainerThatSeesItsGroupAsTheRoot() {
    assertDirectory(
        "/sys/fs/cgroup",
        List.of("0::/"),
        List.of(
            "912 900 0:53 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/l/A:/B",
            "917 916 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw"));
  }

  /** Docker's with {@code --cgroupns=host}: only its own group is mounted, as the root there. */
  @Test
  void aContainerWithTheNamesOfTheMachine() {
    String group = "/docker/3e1b7c0f9c";
    assertDirectory(
        "/sys/fs/cgroup/perf_event",
        List.of("11:perf_event:" + group, "4:cpu,cpuacct:" + group, "0::/system.slice/docker"),
        List.of(
            "1001 990 0:29 "
                + group
                + " /sys/fs/cgroup/perf_event ro,nosuid,nodev,noexec,relatime master:16 - cgroup"
                + " cgroup rw,perf_event"));
  }

  /** A group inside of the one that is mounted; and one whose name only begins like it. */
  @Test
  void belowTheMountedGroup() {
    List<String> mounts =
        List.of("1001 990 0:29 /docker/3e1b /sys/fs/cgroup ro - cgroup2 cgroup rw");
    assertDirectory("/sys/fs/cgroup/inner", List.of("0::/docker/3e1b/inner"), mounts);
    assertNull(OwnCgroup.directory(List.of("0::/docker/3e1b7"), mounts));
    assertNull(OwnCgroup.directory(List.of("0::/"), mounts));
  }

  @Test
  void versionOneHasAHierarchyOfItsOwn() {
    assertDirectory(
        "/sys/fs/cgroup/perf_event/batch",
        List.of("8:cpu,cpuacct:/other", "5:perf_event:/batch", "1:name=systemd:/user.slice"),
        VERSION_1);
    assertDirectory(
        "/sys/fs/cgroup/perf_event", List.of("5:perf_event:/", "1:name=systemd:/x"), VERSION_1);
  }

  /** Both versions, perf_event with others in one hierarchy of version 1. */
  @Test
  void whereBothAreMountedThatOfPerfCounts() {
    assertDirectory(
        "/sys/fs/cgroup/net_cls,perf_event/a",
        List.of("7:net_cls,perf_event:/a", "0::/b"),
        List.of(
            "40 25 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate",
            "41 25 0:34 / /sys/fs/cgroup/net_cls,perf_event rw - cgroup cgroup"
                + " rw,net_cls,perf_event"));
  }

  /**
   * A hybrid system whose controllers are version 1 but for perf_event, which is nobody's there.
   */
  @Test
  void aHierarchyWithoutPerfLeavesItToVersionTwo() {
    assertDirectory(
        "/sys/fs/cgroup/unified/user.slice",
        List.of("9:name=systemd:/", "4:memory:/x", "1:cpu:/x", "0::/user.slice"),
        List.of(
            "31 25 0:27 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu",
            "40 25 0:33 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw"));
  }

  @Test
  void noneWhereTheHierarchyIsNotMounted() {
    assertNull(OwnCgroup.directory(List.of("5:perf_event:/a"), UNIFIED));
    assertNull(OwnCgroup.directory(List.of("0::/a"), VERSION_1));
    assertNull(OwnCgroup.directory(List.of(), UNIFIED));
    assertNull(OwnCgroup.directory(List.of("0::/a"), List.of("not a mount")));
  }
}
