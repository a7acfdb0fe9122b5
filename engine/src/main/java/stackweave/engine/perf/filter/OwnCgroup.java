package stackweave.engine.perf.filter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.maps.proc.PlainFiles;

/**
 * The control group that perf events can be of (PERF_FLAG_PID_CGROUP), if nearly all CPU time of it
 * is this process's. Containers and systemd units mostly have one; a login session has not.
 *
 * @param directory in the file system of cgroups
 */
public record OwnCgroup(Path directory) {
  private static final String GROUPS = "/proc/self/cgroup";
  private static final String MOUNTS = "/proc/self/mountinfo";

  /** Others may have used that much of the CPU time of all that is alive in it. */
  private static final double OTHERS = 0.2;

  /** More processes than that are not looked at: it is no process's own. */
  private static final int MAX_PROCESSES = 256;

  private static final int MAX_DEPTH = 8;

  /**
   * Finds it.
   *
   * @return null if there is none, or others use it, too
   */
  public static OwnCgroup find(int pid) {
    try {
      Path directory = directory(lines(GROUPS), lines(MOUNTS));
      return directory != null && isOwn(directory, pid) ? new OwnCgroup(directory) : null;
    } catch (IOException | DirectoryIteratorException | NumberFormatException e) {
      return null;
    }
  }

  /** What is not UTF-8 in some path is replaced. */
  private static List<String> lines(String path) throws IOException {
    return PlainFiles.text(path, StandardCharsets.UTF_8).lines().toList();
  }

  /**
   * The directory of the process's group in the hierarchy of perf_event, or the only one of version
   * 2 (cgroups(7)).
   *
   * @param groups the lines of /proc/PID/cgroup: {@code hierarchy:controllers:path}
   * @param mounts the lines of /proc/PID/mountinfo (proc_pid_mountinfo(5))
   * @return null if it is not mounted
   */
  public static Path directory(List<String> groups, List<String> mounts) {
    String ofPerf = path(groups, "perf_event");
    return ofPerf != null
        ? mounted(mounts, "cgroup", "perf_event", ofPerf)
        : mounted(mounts, "cgroup2", "", path(groups, ""));
  }

  private static String path(List<String> groups, String controller) {
    for (String line : groups) {
      String[] parts = line.split(":", 3);
      if (parts.length == 3 && List.of(parts[1].split(",")).contains(controller)) {
        return parts[2];
      }
    }
    return null;
  }

  /** Where a path of a hierarchy is, by the mount whose root it is below. */
  private static Path mounted(List<String> mounts, String type, String option, String path) {
    for (String line : mounts) {
      String[] parts = line.split(" - ", 2);
      String[] place = parts[0].split(" ");
      String[] what = parts.length == 2 ? parts[1].split(" ") : new String[0];
      if (path != null
          && place.length > 4
          && what.length > 2
          && what[0].equals(type)
          && (option.isEmpty() || List.of(what[2].split(",")).contains(option))) {
        String root = place[3].equals("/") ? "" : place[3];
        if (path.equals(root) || path.startsWith(root + "/")) {
          return Path.of(place[4] + path.substring(root.length()));
        }
      }
    }
    return null;
  }

  private static boolean isOwn(Path directory, int pid) throws IOException {
    List<Integer> members = new ArrayList<>();
    addMembers(directory, members, 0);
    // 0 is a process outside of this one's namespace of ids.
    if (!members.contains(pid) || members.contains(0) || members.size() > MAX_PROCESSES) {
      return false;
    }
    long own = 0;
    long others = 0;
    for (int member : members) {
      if (member == pid) {
        own = ticks(member);
      } else {
        others += ticks(member);
      }
    }
    return others <= OTHERS * (own + others);
  }

  /** The processes of a group, and of those in it, of which its events are, too. */
  private static void addMembers(Path group, List<Integer> members, int depth) throws IOException {
    for (String line : PlainFiles.lines(group.resolve("cgroup.procs").toString())) {
      members.add(Integer.parseInt(line.strip()));
    }
    if (depth == MAX_DEPTH || members.size() > MAX_PROCESSES) {
      return;
    }
    try (DirectoryStream<Path> inside = Files.newDirectoryStream(group, Files::isDirectory)) {
      for (Path each : inside) {
        addMembers(each, members, depth + 1);
      }
    }
  }

  /** CPU time of a process (proc_pid_stat(5), utime and stime), 0 if it has ended. */
  private static long ticks(int pid) {
    try {
      // The process's name in it may be cut within a character.
      String stat = PlainFiles.text("/proc/" + pid + "/stat", StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    } catch (IOException e) {
      return 0;
    }
  }
}
