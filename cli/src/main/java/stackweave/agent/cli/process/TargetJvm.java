package stackweave.agent.cli.process;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.agent.attach.JvmProperties;
import stackweave.agent.attach.Order;
import stackweave.agent.attach.RecordName;
import stackweave.agent.attach.Reply;
import stackweave.agent.attach.Serving;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.attach.Version;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Waiting;
import stackweave.linux.Randomness;

/**
 * An attached JVM: reads what its agent publishes, sends orders to the agent and runs diagnostic
 * commands. Used by the commands on a running JVM. Its answers are controlled by its user and must
 * be treated as untrusted text. Not thread-safe.
 */
public final class TargetJvm implements AutoCloseable {
  private static final int OLDEST_JAVA = 17;
  private static final String JAR_THERE = "stackweave-agent";

  /** How long a copied jar is kept at least; longer than a JVM takes to load it. */
  private static final long JAR_MILLIS = 600_000;

  /**
   * Paths that every JVM takes unchanged: it cuts an agent's path at '=', expands '%' in a
   * recording's, decodes both in its own encoding, and limits their length ({@link
   * AttachSocket#ARGUMENT_BYTES}).
   */
  private static final Pattern PLAIN_PATH = Pattern.compile("/[ -~&&[^\"%=]]{0,160}");

  private static final long END_NANOS = 1_000_000_000L;
  private static final int PAUSE_MILLIS = 20;

  /** Attempts to list properties, some of which may be removed meanwhile. */
  private static final int LISTING_TRIES = 5;

  private static final String WAITING = "state: waiting";

  /** What HotSpot says of its version: the VM's name and version, and the Java release. */
  private static final Pattern VERSION =
      Pattern.compile("([ -~]{1,80}) version ([!-~]{1,80})\\RJDK (\\d{1,4})\\b[^\\r\\n]*");

  private static final String TEMPORARY = "java.io.tmpdir";

  /** What {@link #TEMPORARY} is unless an option of the JVM or the program sets it. */
  private static final String USUAL_TEMPORARY = "/tmp";

  /** How the JVM's list of its options begins. */
  private static final String OPTIONS = "VM Arguments:";

  /** The class loader of the agent, one for the life of a JVM. */
  private static final String LOADER = "stackweave.agent.boot.InnerClassLoader";

  private static final String AGENT = "-javaagent:";

  private final TargetProcess process;
  private final AttachSocket socket;

  /** Null until it is read. */
  private String temporary;

  private String version;

  /** Null until it is read. */
  private Boolean hasLoader;

  private TargetJvm(TargetProcess process, AttachSocket socket) {
    this.process = process;
    this.socket = socket;
  }

  /**
   * Attaches to a JVM; loads nothing into it.
   *
   * @throws FailedException if that is not possible, with the reason for the user
   */
  public static TargetJvm open(long pid) throws FailedException {
    TargetProcess process = TargetProcess.open(pid);
    try {
      return attach(process);
    } catch (FailedException e) {
      process.close();
      throw e;
    }
  }

  /**
   * Attaches to the JVM of a process; loads nothing into it.
   *
   * @param process closed with the result, and not if this fails
   * @throws FailedException if that is not possible, with the reason for the user
   */
  public static TargetJvm attach(TargetProcess process) throws FailedException {
    try {
      process.mustTakeAttach();
      TargetJvm jvm = new TargetJvm(process, AttachSocket.open(process));
      jvm.mustBeNewEnough();
      return jvm;
    } catch (IOException e) {
      throw notOpened(process, e);
    }
  }

  private static FailedException notOpened(TargetProcess process, IOException e) {
    if (e instanceof AttachSocket.StoppedException) {
      return stopped(process, e);
    }
    if (e instanceof AttachSocket.RefusedException) {
      return new FailedException(
          "the JVM %s answers with an error (%s)", process.pid(), FailedException.worded(e));
    }
    return new FailedException(
        "the JVM %s can't be attached to (%s); it may run with"
            + " -XX:+DisableAttachMechanism, be suspended, or be no HotSpot",
        process.pid(), FailedException.reasonWithName(e));
  }

  private static FailedException stopped(TargetProcess process, IOException e) {
    return new FailedException("the JVM " + process.pid() + " " + e.getMessage());
  }

  /** Asks for properties only if need be: their text costs the JVM 140 classes and 1.4 MB. */
  private void mustBeNewEnough() throws FailedException, IOException {
    Matcher said = VERSION.matcher(answer("VM.version"));
    String java;
    if (said.matches()) {
      java = said.group(3);
      version = said.group(1) + " " + said.group(2);
    } else {
      Properties properties = properties("properties");
      java = properties.getProperty("java.specification.version", "0");
      version =
          properties.getProperty("java.vm.name") + " " + properties.getProperty("java.vm.version");
    }
    if (!java.matches("\\d{1,4}") || Integer.parseInt(java) < OLDEST_JAVA) {
      throw new FailedException(
          "the JVM " + process.pid() + " is Java " + java + ", and the agent needs 17 or newer");
    }
  }

  private Properties properties(String command) throws IOException {
    Properties properties = new Properties();
    try {
      properties.load(new ByteArrayInputStream(listed(command)));
    } catch (IllegalArgumentException e) {
      throw new IOException("its answer is no list of properties", e);
    }
    return properties;
  }

  /**
   * The JVM fails with a NullPointerException if a property is removed while it lists them, as the
   * agent does with the state of a recording that has ended
   * (VMSupport.serializePropertiesToByteArray, JDK 17 to 25).
   */
  private byte[] listed(String command) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        return socket.ask(command);
      } catch (AttachSocket.RefusedException e) {
        if (tries == LISTING_TRIES) {
          throw e;
        }
      }
    }
  }

  /** The states of an agent that are visible without loading anything. */
  public enum Presence {
    /** No agent is there. */
    NONE,
    /** Started by -javaagent; no recording has asked for samples, or it could not begin. */
    DORMANT,
    /** Attached for recordings of the command record; detaches with the last of them. */
    TEMPORARY,
    /** Running, and not detaching by itself. */
    PRESENT
  }

  /** Whether an agent is in the JVM. */
  public Presence presence() throws FailedException {
    return presence(board());
  }

  private Presence presence(Properties board) throws FailedException {
    if (StatusBoard.version(board) != null) {
      return StatusBoard.isTemporary(board) ? Presence.TEMPORARY : Presence.PRESENT;
    }
    return !StatusBoard.isDetached(board) && hasLoader(board) ? Presence.DORMANT : Presence.NONE;
  }

  /** The agent's status report; null if there is no agent. Loads nothing. */
  public String status() throws FailedException {
    Properties board = board();
    String status = StatusBoard.status(board);
    if (status != null) {
      return status;
    }
    return presence(board) == Presence.DORMANT
        ? "state: dormant since the JVM's start: no recording has asked for samples, or there was no"
            + " room for them on the heap yet"
        : null;
  }

  /**
   * What the agent publishes at one moment.
   *
   * @param presence whether the agent is there
   * @param serving the state of the recording that was asked for; null if the agent doesn't know it
   * @param servesRecords whether it is sampling for other recordings of the command record
   * @param obstacle why sampling can't begin at present; empty if nothing
   */
  public record View(Presence presence, Serving serving, boolean servesRecords, String obstacle) {}

  /** Reads the agent's state, with that of one recording of the command record. */
  public View look(String recording) throws FailedException {
    Properties board = board();
    mustBeOfThisVersion(board);
    String state = Objects.requireNonNullElse(StatusBoard.status(board), "").split("\n", 2)[0];
    return new View(
        presence(board),
        StatusBoard.serving(recording, board),
        RecordName.isIn(state.replace(recording, "")),
        state.startsWith(WAITING) ? state : "");
  }

  /** The options that it was started with, wherever they came from, with spaces between. */
  public String options() throws FailedException {
    return ask("agentProperties").getProperty(JvmProperties.VM_ARGUMENTS, "");
  }

  /**
   * Its directory for temporary files, in which JFR's repository is by default. Where no option of
   * the JVM sets it the usual one, even if the program has chosen another.
   */
  public String temporary() throws FailedException {
    if (temporary == null) {
      String options = diagnose("VM.command_line");
      temporary =
          options.startsWith(OPTIONS) && !options.contains(TEMPORARY)
              ? USUAL_TEMPORARY
              : ask("properties").getProperty(TEMPORARY, USUAL_TEMPORARY);
    }
    return temporary;
  }

  /** Name and version of the VM. */
  public String version() {
    return version;
  }

  /** What the agent publishes; nothing where no agent can be, without asking the JVM. */
  private Properties board() throws FailedException {
    return process.mayHaveAgents() ? ask("agentProperties") : new Properties();
  }

  private Properties ask(String command) throws FailedException {
    try {
      return properties(command);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  /**
   * Whether an agent's class loader is there: an agent that has done nothing since the JVM's start
   * publishes nothing, and the option that started it may not be readable any more. Read once, and
   * only if the JVM began with any agent, since it stops the JVM's threads for a time that grows
   * with the square of the number of class loaders, 0.4 s for 20,000.
   */
  private boolean hasLoader(Properties board) throws FailedException {
    if (hasLoader == null) {
      hasLoader =
          !board.isEmpty()
              && board.getProperty(JvmProperties.VM_ARGUMENTS, AGENT).contains(AGENT)
              && diagnose("VM.classloaders").contains(LOADER);
    }
    return hasLoader;
  }

  /** Orders are specific to a version. */
  private void mustBeOfThisVersion(Properties board) throws FailedException {
    String version = StatusBoard.version(board);
    if (version != null && !version.equals(Version.current())) {
      throw new FailedException(
          "process %s: the agent in that JVM has version %s, this jar %s: use the jar of"
              + " that version, or restart the JVM",
          process.pid(), version, Version.current());
    }
  }

  /**
   * Runs a diagnostic command, as jcmd does; loads nothing.
   *
   * @return the command's output, or the JVM's refusal
   */
  public String diagnose(String command) throws FailedException {
    try {
      return answer(command);
    } catch (IOException e) {
      throw lost(e);
    }
  }

  private String answer(String command) throws IOException {
    try {
      return new String(socket.ask("jcmd", command), StandardCharsets.UTF_8).strip();
    } catch (AttachSocket.RefusedException e) {
      return FailedException.worded(e);
    }
  }

  /**
   * Sends an order and waits until it is carried out.
   *
   * @return the agent's text for the user
   * @throws FailedException if the agent refuses or does not answer
   */
  public String order(Order.Kind kind, Map<Order.Name, String> values) throws FailedException {
    mustBeOfThisVersion(board());
    Path own = ownJar();
    if (PLAIN_PATH.matcher(own.toString()).matches() && process.sees(own)) {
      return order(kind, values, own.toString());
    }
    // A unique name: another command may do the same now.
    String copy = TargetDirectory.fileName(JAR_THERE, JAR_MILLIS, ".jar");
    try (TargetDirectory exchange = openDirectory()) {
      try {
        exchange.put(Files.readAllBytes(own), copy);
        return order(kind, values, exchange.seen(copy));
      } catch (IOException e) {
        throw isAliveStill()
            ? new FailedException(
                "the agent's jar can't be put where the JVM %s finds it, %s: %s",
                process.pid(), exchange.seen(copy), FailedException.reason(e))
            : lost(e);
      } finally {
        exchange.remove(copy);
      }
    }
  }

  private String order(Order.Kind kind, Map<Order.Name, String> values, String jar)
      throws FailedException {
    String ticket = Long.toHexString(Randomness.next());
    Map<Order.Name, String> all = new EnumMap<>(Order.Name.class);
    all.putAll(values);
    all.put(Order.Name.TICKET, ticket);
    all.put(Order.Name.JAR, jar);
    load(jar, new Order(kind, Version.current(), all).text());
    Reply reply = StatusBoard.reply(ticket, board());
    if (reply == null) {
      throw new FailedException(
          "the agent in JVM " + process.pid() + " did not answer; that JVM's stderr says why");
    }
    if (!reply.isDone()) {
      throw new FailedException("process " + process.pid() + ": " + reply.text());
    }
    return reply.text();
  }

  /** Loads the agent by HotSpot's instrument library, as VirtualMachine.loadAgent does. */
  private void load(String jar, String options) throws FailedException {
    String answer;
    try {
      byte[] bytes = socket.ask("load", "instrument", "false", jar + "=" + options);
      answer = new String(bytes, StandardCharsets.UTF_8).strip();
    } catch (AttachSocket.RefusedException e) {
      answer = FailedException.worded(e);
    } catch (IOException e) {
      throw lost(e);
    }
    // The return codes are those of Agent_OnAttach (InvocationAdapter.c).
    String problem =
        switch (answer) {
          case "return code: 0" -> "";
          case "return code: 100" -> "the agent's jar was not found there, or is damaged";
          case "return code: 101" -> "the agent's jar can't be put on its class path";
          case "return code: 102" -> "the agent did not start; that JVM's stderr says why";
          default -> answer;
        };
    if (!problem.isEmpty()) {
      throw new FailedException(
          "the JVM %s refuses the agent (%s); it may run with"
              + " -XX:-EnableDynamicAgentLoading or without java.instrument",
          process.pid(), problem);
    }
  }

  /** Opens the directory for exchanging files with it, which the caller closes. */
  public TargetDirectory openDirectory() throws FailedException {
    Set<String> candidates = new LinkedHashSet<>();
    String usual = temporary();
    candidates.add(PLAIN_PATH.matcher(usual).matches() ? usual : USUAL_TEMPORARY);
    candidates.addAll(List.of(USUAL_TEMPORARY, "/var/tmp", "/dev/shm"));
    return TargetDirectory.open(process, candidates);
  }

  /** The jar that this command was started from. */
  public static Path ownJar() {
    try {
      // This class has no code source location; the boot class's is the agent jar.
      Class<?> boot = ClassLoader.getSystemClassLoader().loadClass("stackweave.agent.boot.Boot");
      return Path.of(boot.getProtectionDomain().getCodeSource().getLocation().toURI()).toRealPath();
    } catch (ClassNotFoundException | URISyntaxException | IOException e) {
      throw new IllegalStateException("the agent's own jar can't be found", e);
    }
  }

  /** The process; closed with this object. */
  public TargetProcess process() {
    return process;
  }

  /**
   * Whether the process is still alive {@link #END_NANOS} after it stopped answering: an ending JVM
   * stops answering a moment before it exits.
   */
  private boolean isAliveStill() {
    return !Waiting.until(() -> !process.isAlive(), END_NANOS, PAUSE_MILLIS);
  }

  private FailedException lost(IOException e) {
    if (e instanceof AttachSocket.StoppedException) {
      return stopped(process, e);
    }
    return new FailedException(
        isAliveStill()
            ? "lost the JVM " + process.pid() + " (" + FailedException.reasonWithName(e) + ")"
            : "the program " + process.pid() + " has ended");
  }

  @Override
  public void close() {
    process.close();
  }
}
