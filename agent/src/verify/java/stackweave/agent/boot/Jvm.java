package stackweave.agent.boot;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** A JDK of the machine, by which these tests run applications and the agent's command line. */
public record Jvm(Jdk jdk) {

  /** All that the agent is for, oldest first. */
  public static Stream<Jvm> all() {
    return Jdk.all().stream().map(Jvm::new);
  }

  /** The oldest, for tests of what no JDK changes: {@link Jdk#onOldest}. */
  static Stream<Jvm> onOldest() {
    return Jdk.onOldest().map(Jvm::new);
  }

  /** The newest, for tests of what no JDK changes: {@link Jdk#onNewest}. */
  static Stream<Jvm> onNewest() {
    return Jdk.onNewest().map(Jvm::new);
  }

  /**
   * The oldest and the newest, for tests of what JDKs may change; all with {@code -Djdks=every}.
   */
  static Stream<Jvm> ends() {
    return Jdk.onEnds().map(Jvm::new);
  }

  /** Those that restrict System.load. */
  static Stream<Jvm> restricting() {
    return all().filter(jvm -> jvm.feature() >= 24);
  }

  public Path home() {
    return jdk.home();
  }

  public int feature() {
    return jdk.feature();
  }

  /**
   * Runs the command line of the agent's jar: {@code java -jar stackweave-agent.jar arguments…}.
   */
  Ended commandLine(Path directory, String... arguments) throws Exception {
    List<String> words = ForkedJvm.agentCommand(jdk, (Object[]) arguments);
    return Commands.run(new ProcessBuilder(words).directory(directory.toFile()));
  }

  /** Runs {@code java} in this directory until it ends. */
  Ended run(Path directory, List<String> arguments) {
    return quick(directory, arguments).run(arguments);
  }

  /** The command {@code java} in this directory, to be started. */
  ProcessBuilder start(Path directory, List<String> arguments) {
    return quick(directory, arguments).command(arguments);
  }

  /** What these tests look at is the same with C1's code alone. */
  private ForkedJvm quick(Path directory, List<String> arguments) {
    return ForkedJvm.on(jdk, directory).options(ForkedJvm.quick(arguments).toArray(String[]::new));
  }

  @Override
  public String toString() {
    return "JDK " + feature();
  }
}
