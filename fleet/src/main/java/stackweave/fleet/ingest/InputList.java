package stackweave.fleet.ingest;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.HadoopPath;

/**
 * The files that arguments mean: files, directories with all below them, patterns of Hadoop's.
 * Below directories only names with the endings of recordings count, and none of files that are
 * hidden or still written by Hadoop's rules ({@code .} or {@code _} at the beginning). A directory
 * of this machine that several links lead to is looked at once.
 */
public final class InputList {
  private static final List<String> ENDINGS = List.of(".jfr", ".jfr.gz");

  private final Configuration configuration;

  /** By path, so that a file which several arguments mean is read once. */
  private final Map<String, FileStatus> found = new TreeMap<>();

  /** Of directories of this machine. */
  private final Set<java.nio.file.Path> seen = new HashSet<>();

  private InputList(Configuration configuration) {
    this.configuration = configuration;
  }

  /**
   * Finds the files.
   *
   * @param without the directory of the tables, in which nothing is looked for
   * @throws FleetException if an argument means no file; one line for users
   */
  public static List<InputFile> of(
      Collection<String> arguments, Path without, Configuration configuration)
      throws IOException, FleetException {
    InputList list = new InputList(configuration);
    for (String argument : arguments) {
      list.add(argument, without);
    }
    List<InputFile> files = new ArrayList<>();
    list.found.forEach(
        (path, status) ->
            files.add(
                new InputFile(files.size(), path, status.getLen(), status.getModificationTime())));
    return files;
  }

  private void add(String argument, Path without) throws IOException, FleetException {
    HadoopPath pattern = HadoopPath.of(argument, configuration);
    FileSystem files = pattern.files();
    FileStatus[] matches = files.globStatus(pattern.path());
    if (matches == null || matches.length == 0) {
      throw new FleetException("%s: no such file or directory", argument);
    }
    for (FileStatus match : matches) {
      boolean isNamed = match.getPath().getName().equals(pattern.path().getName());
      if (!isNamed && isHidden(match)) {
        continue;
      }
      if (match.isFile()) {
        found.put(match.getPath().toString(), match);
      } else {
        addAllBelow(files, match, without);
      }
    }
  }

  private static boolean isHidden(FileStatus file) {
    String name = file.getPath().getName();
    return name.startsWith(".") || name.startsWith("_");
  }

  private void addAllBelow(FileSystem files, FileStatus top, Path without) throws IOException {
    Deque<FileStatus> directories = new ArrayDeque<>();
    if (isNew(top.getPath())) {
      directories.push(top);
    }
    while (!directories.isEmpty()) {
      FileStatus[] children;
      try {
        children = files.listStatus(directories.pop().getPath());
      } catch (FileNotFoundException e) {
        continue; // deleted in the meantime
      }
      for (FileStatus child : children) {
        String name = child.getPath().getName();
        if (child.getPath().equals(without) || isHidden(child)) {
          continue;
        }
        if (child.isDirectory()) {
          if (isNew(child.getPath())) {
            directories.push(child);
          }
        } else if (ENDINGS.stream().anyMatch(name::endsWith)) {
          found.put(child.getPath().toString(), child);
        }
      }
    }
  }

  private boolean isNew(Path directory) throws IOException {
    if (!directory.toUri().getScheme().equals("file")) {
      return true; // stores and HDFS have no links
    }
    try {
      return seen.add(java.nio.file.Path.of(directory.toUri().getPath()).toRealPath());
    } catch (NoSuchFileException e) {
      return false; // deleted in the meantime
    }
  }

  /**
   * Distributes files to tasks, the largest first, so that all take about as long.
   *
   * @param most number of tasks at most
   */
  public static List<List<InputFile>> tasks(Collection<InputFile> files, int most) {
    List<InputFile> bySize = new ArrayList<>(files);
    bySize.sort(Comparator.comparingLong(InputFile::size).reversed());
    List<List<InputFile>> tasks = new ArrayList<>();
    for (int i = 0; i < bySize.size(); i++) {
      // There and back again: the task with the largest file of one round has the smallest of the
      // next.
      int place = i % (2 * most);
      int task = place < most ? place : 2 * most - 1 - place;
      if (task == tasks.size()) {
        tasks.add(new ArrayList<>());
      }
      tasks.get(task).add(bySize.get(i));
    }
    return tasks;
  }
}
