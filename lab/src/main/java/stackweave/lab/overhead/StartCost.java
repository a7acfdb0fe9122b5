package stackweave.lab.overhead;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import stackweave.lab.CpuTime;
import stackweave.lab.overhead.Statistics.Estimate;
import stackweave.testing.Jdk;

/**
 * CPU time of a JVM that ends at once, from its start to its end, in turns without an agent, with
 * an empty one, and with Stackweave dormant.
 *
 * @param none medians without an agent, in nanoseconds
 * @param empty what an empty agent adds to that
 * @param dormant what Stackweave adds to an empty one
 */
record StartCost(Estimate none, Estimate empty, Estimate dormant) {

  static StartCost measure(Jdk jdk, Path agent, Path directory, int launches)
      throws IOException, InterruptedException {
    Path jar = directory.resolve("hello.jar");
    writeJar(jar);
    double[] none = new double[launches];
    double[] empty = new double[launches];
    double[] dormant = new double[launches];
    // The first of each is not counted: files come from the disk.
    for (int i = -1; i < launches; i++) {
      long without = launch(jdk, jar, List.of());
      long withEmpty = launch(jdk, jar, List.of("-javaagent:" + jar));
      long withOurs = launch(jdk, jar, List.of("-javaagent:" + agent));
      if (i >= 0) {
        none[i] = without;
        empty[i] = withEmpty - without;
        dormant[i] = withOurs - withEmpty;
      }
    }
    return new StartCost(
        Statistics.estimate(none), Statistics.estimate(empty), Statistics.estimate(dormant));
  }

  private static long launch(Jdk jdk, Path jar, List<String> options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(jdk.java().toString());
    command.addAll(options);
    command.addAll(List.of("-cp", jar.toString(), Hello.class.getName()));
    long before = CpuTime.ofChildren();
    int code =
        new ProcessBuilder(command)
            .redirectError(Redirect.INHERIT)
            .redirectOutput(Redirect.DISCARD)
            .start()
            .waitFor();
    if (code != 0) {
      throw new IOException(String.join(" ", command) + " ended with exit code " + code);
    }
    return CpuTime.ofChildren() - before;
  }

  /** Writes a jar of {@link Hello} and the empty agent. */
  private static void writeJar(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", EmptyAgent.class.getName());
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (Class<?> type : List.of(EmptyAgent.class, Hello.class)) {
        String entry = type.getName().replace('.', '/') + ".class";
        out.putNextEntry(new JarEntry(entry));
        try (InputStream in = type.getResourceAsStream("/" + entry)) {
          in.transferTo(out);
        }
      }
    }
  }
}
