package stackweave.agent.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.jar.JarFile;
import stackweave.agent.Version;
import stackweave.agent.attach.Order;
import stackweave.agent.attach.Reply;
import stackweave.agent.attach.StatusBoard;

/** Another JVM, attached to: takes orders for the agent in it. */
final class TargetJvm implements AutoCloseable {
  private static final int OLDEST_JAVA = 17;
  private static final String JAR_THERE = "stackweave-agent-" + Version.current() + ".jar";
  private static final String AGENT_ARGUMENT = "-javaagent:";

  private final TargetProcess process;
  private final VirtualMachine vm;
  private TargetDirectory directory;
  private String temporary;

  private TargetJvm(TargetProcess process, VirtualMachine vm) {
    this.process = process;
    this.vm = vm;
  }

  /**
   * Attaches to a JVM; nothing is loaded into it.
   *
   * @throws FailedException if it can't be, with the reason for the user
   */
  static TargetJvm open(long pid) throws FailedException {
    if (ModuleLayer.boot().findModule("jdk.attach").isEmpty()) {
      throw new FailedException(
          "this Java has no attach API (module jdk.attach): run the command with a JDK");
    }
    TargetProcess process = TargetProcess.check(pid);
    try {
      TargetJvm jvm = new TargetJvm(process, VirtualMachine.attach(Long.toString(pid)));
      jvm.mustBeNewEnough();
      return jvm;
    } catch (AttachNotSupportedException | IOException e) {
      throw new FailedException(
          "the JVM "
              + pid
              + " can't be attached to ("
              + e.getMessage()
              + "); it may run with -XX:+DisableAttachMechanism, be suspended, or be no HotSpot");
    }
  }

  private void mustBeNewEnough() throws FailedException, IOException {
    Properties properties = vm.getSystemProperties();
    String java = properties.getProperty("java.specification.version", "0");
    temporary = properties.getProperty("java.io.tmpdir", "/tmp");
    if (!java.matches("\\d+") || Integer.parseInt(java) < OLDEST_JAVA) {
      throw new FailedException(
          "the JVM " + process.pid() + " is Java " + java + ", and the agent needs 17 or newer");
    }
  }

  /** How the agent there fares; null if there is none. Loads nothing. */
  String status() throws FailedException {
    try {
      Properties properties = vm.getAgentProperties();
      String status = StatusBoard.status(properties);
      if (status != null) {
        return status;
      }
      for (String argument : properties.getProperty("sun.jvm.args", "").split(" ")) {
        if (argument.startsWith(AGENT_ARGUMENT) && isOurs(argument)) {
          return "state: dormant since the JVM's start, for no recording asked for samples";
        }
      }
      return null;
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /** Whether the jar of this -javaagent, relative to where the JVM runs, is a Stackweave agent. */
  private boolean isOurs(String argument) {
    String path = argument.substring(AGENT_ARGUMENT.length()).replaceFirst("=.*", "");
    Path cwd = Path.of("/proc", Long.toString(process.pid()), "cwd");
    Path file = Path.of(path).isAbsolute() ? process.inItsSight(Path.of(path)) : cwd.resolve(path);
    try (JarFile jar = new JarFile(file.toFile())) {
      return jar.getEntry("stackweave/agent/boot/Boot.class") != null;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Gives an order and waits until it is carried out.
   *
   * @return the agent's answer for people
   * @throws FailedException if the agent says that it can't, or nothing
   */
  String order(Order.Kind kind, Map<Order.Name, String> values) throws FailedException {
    Path own = ownJar();
    boolean visible = process.sees(own) && isReadableByAll(own);
    try {
      Path jar = own;
      if (!visible) {
        directory().put(own, JAR_THERE);
        jar = directory().seen(JAR_THERE);
      }
      return order(kind, values, jar);
    } catch (IOException e) {
      throw lost(e);
    } finally {
      if (!visible && directory != null) {
        directory.remove(JAR_THERE);
      }
    }
  }

  private String order(Order.Kind kind, Map<Order.Name, String> values, Path jar)
      throws FailedException, IOException {
    String ticket = Long.toHexString(new SecureRandom().nextLong());
    Map<Order.Name, String> all = new EnumMap<>(Order.Name.class);
    all.putAll(values);
    all.put(Order.Name.TICKET, ticket);
    all.put(Order.Name.JAR, jar.toString());
    try {
      vm.loadAgent(jar.toString(), new Order(kind, Version.current(), all).text());
    } catch (AgentLoadException | AgentInitializationException e) {
      throw new FailedException(
          "the JVM "
              + process.pid()
              + " refuses the agent ("
              + e.getMessage()
              + "); it may run with -XX:-EnableDynamicAgentLoading or without java.instrument");
    }
    Reply reply = StatusBoard.reply(ticket, vm.getAgentProperties());
    if (reply == null) {
      throw new FailedException(
          "the agent in JVM " + process.pid() + " did not answer; that JVM's stderr says why");
    }
    if (reply.outcome() != Reply.Outcome.DONE) {
      throw new FailedException("process " + process.pid() + ": " + reply.text());
    }
    return reply.text();
  }

  /** Where files are exchanged with it. */
  TargetDirectory directory() throws FailedException {
    if (directory == null) {
      Set<Path> candidates = new LinkedHashSet<>();
      candidates.add(Path.of(temporary).isAbsolute() ? Path.of(temporary) : Path.of("/tmp"));
      candidates.add(Path.of("/tmp"));
      candidates.add(Path.of("/dev/shm"));
      directory = TargetDirectory.open(process, List.copyOf(candidates));
    }
    return directory;
  }

  private static Path ownJar() {
    try {
      // Our own class's source is the class loader; the boot class's is the jar.
      return Path.of(
              ClassLoader.getSystemClassLoader()
                  .loadClass("stackweave.agent.boot.Boot")
                  .getProtectionDomain()
                  .getCodeSource()
                  .getLocation()
                  .toURI())
          .toRealPath();
    } catch (ClassNotFoundException | URISyntaxException | IOException e) {
      throw new IllegalStateException("the agent's own jar can't be found", e);
    }
  }

  /** Whether any user can read it: only then a foreign one surely can. */
  private static boolean isReadableByAll(Path file) throws FailedException {
    try {
      boolean readable =
          Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
      for (Path p = file.getParent(); readable && p != null; p = p.getParent()) {
        readable = Files.getPosixFilePermissions(p).contains(PosixFilePermission.OTHERS_EXECUTE);
      }
      return readable;
    } catch (IOException e) {
      throw new FailedException("can't look at " + file + ": " + FailedException.reason(e));
    }
  }

  private FailedException lost(IOException e) {
    return new FailedException(
        "lost the JVM " + process.pid() + " (" + FailedException.reason(e) + ")");
  }

  @Override
  public void close() {
    if (directory != null) {
      directory.close();
    }
    try {
      vm.detach();
    } catch (IOException e) {
      // Nothing is kept open between orders.
      return;
    }
  }
}
