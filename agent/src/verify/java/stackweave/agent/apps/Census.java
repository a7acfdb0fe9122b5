package stackweave.agent.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Prints what an agent could leave behind: threads, files, properties, classes in sight. */
public final class Census {

  private static final List<String> NAMES =
      List.of(
          "stackweave.agent.Agent",
          "stackweave.agent.jdk.JnaModule",
          "stackweave.unwind.Registers",
          "stackweave.agent.cli.Main",
          "com.sun.jna.Native",
          "net.bytebuddy.ByteBuddy",
          "picocli.CommandLine",
          "org.tukaani.xz.XZInputStream");

  private static final List<String> RESOURCES =
      List.of("module-info.class", "META-INF/versions/9/module-info.class", "META-INF/services");

  /** Ten seconds: by then every thread has had its turn. */
  private static final int LOOKS = 500;

  private Census() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    for (String name : NAMES) {
      System.out.println("class " + name + ": " + visible(name));
    }
    for (String resource : RESOURCES) {
      System.out.println(
          "resource " + resource + ": " + (Census.class.getResource("/" + resource) != null));
    }
    new TreeSet<>(System.getProperties().stringPropertyNames())
        .forEach(name -> System.out.println("property " + name));
    List<String> names = threads();
    // One that has just started is called as the program, like its first two, until it runs.
    for (int i = 0; i < LOOKS && Collections.frequency(names, names.get(0)) > 2; i++) {
      Thread.sleep(20);
      names = threads();
    }
    // The JVM's pools differ in size from run to run.
    new TreeSet<>(names.stream().map(name -> name.replaceAll("[#\\d]+$", "")).toList())
        .forEach(name -> System.out.println("thread " + name));
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      List<String> targets = new ArrayList<>();
      for (Path file : files.toList()) {
        try {
          targets.add(Files.readSymbolicLink(file).toString());
        } catch (NoSuchFileException e) {
          // It is closed by now.
        }
      }
      targets.removeIf(target -> target.matches("/proc/\\d+/fd")); // this very listing
      targets.stream().sorted().forEach(target -> System.out.println("file " + target));
    }
  }

  /** By the names that the kernel has; the first is that of the thread that began the process. */
  private static List<String> threads() throws IOException {
    List<String> names = new ArrayList<>();
    names.add(Files.readString(Path.of("/proc/self/comm")).strip());
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      String self = ProcessHandle.current().pid() + "";
      for (Path thread : threads.filter(path -> !path.endsWith(self)).toList()) {
        try {
          names.add(Files.readString(thread.resolve("comm")).strip());
        } catch (NoSuchFileException e) {
          // It has ended.
        }
      }
    }
    return names;
  }

  private static boolean visible(String name) {
    try {
      Class.forName(name, false, ClassLoader.getSystemClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
