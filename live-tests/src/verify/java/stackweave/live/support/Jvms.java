package stackweave.live.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import stackweave.lab.Built;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * The JVMs of these tests: each in a directory of its own below {@code target/it}. They have one
 * compiler and a small collector, which is cheaper; the {@code hot} ones have what the JVM chooses.
 */
public final class Jvms {
  private static final Path TARGET = Path.of("target").toAbsolutePath();

  /** The classes of these tests, after others of a class path. */
  public static final String TESTS = ":" + TARGET + "/test-classes";

  /** Settings of a recording in which JFR does not interrupt threads by a signal of its own. */
  public static final String[] WITHOUT_JFR_SAMPLES = {
    "jdk.ExecutionSample#enabled=false", "jdk.NativeMethodSample#enabled=false"
  };

  private Jvms() {}

  /** One that runs the samples and the tests' own programs. */
  public static ForkedJvm on(Jdk jdk) {
    return quick(hot(jdk));
  }

  /** The same without the libraries of the zoo: the tests' own programs and the lab need none. */
  public static ForkedJvm withoutLibraries(Jdk jdk) {
    return quick(hotWithoutLibraries(jdk));
  }

  /** One that runs the samples with their own libraries. */
  public static ForkedJvm ofSamples(Jdk jdk) {
    return quick(of(jdk, Built.samplesClassPath()));
  }

  /** As {@link #on}, where compilers or collectors matter. */
  public static ForkedJvm hot(Jdk jdk) {
    return of(jdk, Built.classPath() + TESTS);
  }

  /** As {@link #withoutLibraries}, where compilers or collectors matter. */
  public static ForkedJvm hotWithoutLibraries(Jdk jdk) {
    return of(jdk, Built.classes() + TESTS);
  }

  private static ForkedJvm quick(ForkedJvm jvm) {
    return jvm.options(ForkedJvm.quick(List.of()).toArray(String[]::new));
  }

  private static ForkedJvm of(Jdk jdk, String classPath) {
    ForkedJvm jvm = ForkedJvm.on(jdk, directory());
    if (jdk.feature() >= 22) {
      jvm.options("--enable-native-access=ALL-UNNAMED"); // the samples' libraries, not the agent's
    }
    return jvm.classPath(classPath);
  }

  /** Runs {@code java -jar stackweave-agent.jar arguments…} to its end. */
  public static Ended commandLine(Jdk jdk, String... arguments) {
    try {
      return Commands.run(ForkedJvm.agentCommand(jdk, (Object[]) arguments).toArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Path directory() {
    try {
      return Files.createTempDirectory(Files.createDirectories(TARGET.resolve("it")), "jvm");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
