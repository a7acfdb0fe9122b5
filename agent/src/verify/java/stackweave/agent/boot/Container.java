package stackweave.agent.boot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A JVM of another user, with its own processes and its own /tmp. Only root can start one. */
final class Container {
  private static final String SCRIPT =
      "mount -t tmpfs tmpfs /tmp && cd / && exec setpriv --reuid 65534 --regid 65534"
          + " --clear-groups \"$@\"";

  private Container() {}

  /** Those that any user can run. */
  static Stream<Jvm> publicJvms() {
    return Jvm.all().filter(jvm -> jvm.jdk().isOpenToAll());
  }

  /**
   * Starts a class with one argument; the JVM's process is below the one returned.
   *
   * @param apps where the class is, which any user can read
   * @param err gets what is said on standard error
   */
  static Process start(Jvm jvm, Path apps, Class<?> main, int argument, Path err)
      throws IOException {
    return new ProcessBuilder(
            "unshare",
            "--mount",
            "--pid",
            "--fork",
            "--mount-proc",
            "sh",
            "-c",
            SCRIPT,
            "sh",
            jvm.home().resolve("bin/java").toString(),
            "-cp",
            apps.toString(),
            main.getName(),
            Integer.toString(argument))
        .redirectError(err.toFile())
        .start();
  }
}
