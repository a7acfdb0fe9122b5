package stackweave.agent.apps;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
          "net.fornwall.jelf.ElfFile",
          "org.tukaani.xz.XZInputStream");

  private static final List<String> RESOURCES =
      List.of("module-info.class", "META-INF/versions/9/module-info.class", "META-INF/services");

  private Census() {}

  public static void main(String[] arguments) throws IOException {
    for (String name : NAMES) {
      System.out.println("class " + name + ": " + visible(name));
    }
    for (String resource : RESOURCES) {
      System.out.println(
          "resource " + resource + ": " + (Census.class.getResource("/" + resource) != null));
    }
    new TreeSet<>(System.getProperties().stringPropertyNames())
        .forEach(name -> System.out.println("property " + name));
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      TreeSet<String> names = new TreeSet<>();
      for (Path thread : threads.toList()) {
        // The JVM's pools differ in size from run to run.
        names.add(Files.readString(thread.resolve("comm")).strip().replaceAll("[#\\d]+$", ""));
      }
      names.forEach(name -> System.out.println("thread " + name));
    }
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      List<String> targets = new ArrayList<>();
      for (Path file : files.toList()) {
        if (Files.isSymbolicLink(file)) {
          targets.add(Files.readSymbolicLink(file).toString());
        }
      }
      targets.removeIf(target -> target.matches("/proc/\\d+/fd")); // this very listing
      targets.stream().sorted().forEach(target -> System.out.println("file " + target));
    }
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
