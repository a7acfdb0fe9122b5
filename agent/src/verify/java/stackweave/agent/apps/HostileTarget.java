package stackweave.agent.apps;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JVM that answers attach requests itself, and lies: it does to the files that it is told to
 * write what a user would who wants something of root's. Arguments: what to do to the recording, a
 * file of root's, the temporary directory to name, the -javaagent to name.
 */
public final class HostileTarget {
  /** What the command that is lied to prints must not have this. */
  public static final String ESCAPE = "\u001b]0;gotcha\u0007";

  /** What it says when a command has started a recording, and asks how that fares. */
  public static final String FOLLOWED = "followed";

  /** What is done to the recording is done before the command line has opened it. */
  private static final String AT_START = "at-start-";

  private static final String REPOSITORY = "jdk.jfr.repository";

  private final String attack;
  private final Path secret;
  private Path recording;
  private final Properties system = new Properties();
  private final Properties agent = new Properties();

  private HostileTarget(String[] arguments) throws IOException {
    attack = arguments[0];
    secret = Path.of(arguments[1]);
    system.setProperty("java.specification.version", "17");
    system.setProperty("java.io.tmpdir", arguments[2]);
    system.setProperty("user.dir", "/");
    switch (attack) {
      case "repository-of-root" -> system.setProperty(REPOSITORY, secret.getParent().toString());
      case "repository-link" -> {
        Path repository = Files.createDirectory(Path.of(arguments[2], "repository"));
        system.setProperty(REPOSITORY, repository.toString());
      }
      default -> system.remove(REPOSITORY);
    }
    if (attack.equals("escape")) {
      agent.setProperty("stackweave.status", "state: on duty " + ESCAPE);
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.loadLibrary("instrument"); // without it no agent is asked for
    Path socket = Path.of("/tmp/.java_pid" + ProcessHandle.current().pid());
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      HostileTarget target = new HostileTarget(arguments);
      System.out.println("running");
      while (true) {
        try (SocketChannel client = server.accept()) {
          target.serve(client);
        } catch (IOException e) {
          System.out.println(e);
        }
      }
    } finally {
      Files.delete(socket);
    }
  }

  private void serve(SocketChannel client) throws Exception {
    List<String> request = request(client);
    if (request.isEmpty()) {
      return; // connected to see whether somebody listens
    }
    if (attack.equals("silence")) {
      return;
    }
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    answer.writeBytes("0\n".getBytes(StandardCharsets.US_ASCII));
    switch (request.get(1)) {
      case "properties" -> system.store(answer, null);
      case "agentProperties" -> agent.store(answer, null);
      case "jcmd" ->
          answer.writeBytes(diagnose(request.get(2)).getBytes(StandardCharsets.US_ASCII));
      default -> {
        order(request.get(4).substring(request.get(4).indexOf('=') + 1));
        answer.writeBytes("return code: 0".getBytes(StandardCharsets.US_ASCII));
      }
    }
    client.write(ByteBuffer.wrap(answer.toByteArray()));
    if (recording != null && request.get(1).equals("agentProperties")) {
      System.out.println(FOLLOWED);
    }
  }

  /** Version, command and three arguments, each with a 0 behind it. */
  private static List<String> request(SocketChannel client) throws IOException {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    ByteBuffer bytes = ByteBuffer.allocate(1);
    while (parts.size() < 5 && client.read(bytes.clear()) > 0) {
      if (bytes.get(0) == 0) {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append((char) bytes.get(0));
      }
    }
    return parts;
  }

  private void order(String text) throws Exception {
    Map<String, String> order = new TreeMap<>();
    for (String part : text.split(";")) {
      order.put(part.replaceFirst("=.*", ""), part.replaceFirst(".*?=", ""));
    }
    agent.setProperty("stackweave.reply." + order.get("ticket"), "DONE:report " + ESCAPE);
  }

  /** JFR.start and JFR.stop, as far as the command line sees of them. */
  private String diagnose(String command) throws Exception {
    Matcher name = Pattern.compile("name=(\\S+)").matcher(command);
    Matcher file = Pattern.compile("filename=\"([^\"]+)\"").matcher(command);
    if (command.equals("JFR.configure") && system.containsKey(REPOSITORY)) {
      return "Current configuration:\n\nRepository path: " + system.getProperty(REPOSITORY) + "\n";
    }
    if (command.startsWith("VM.") || List.of("JFR.check", "JFR.configure").contains(command)) {
      return "";
    }
    boolean begins = file.find();
    if (begins) {
      recording = Path.of(file.group(1));
      if (attack.equals("repository-link")) {
        Path repository = Path.of(system.getProperty(REPOSITORY));
        Files.createSymbolicLink(repository.resolve("chunk.jfr"), secret);
      }
    }
    if (name.find()) {
      String stage = begins ? "SAMPLING:" : "ENDED:report " + ESCAPE;
      agent.setProperty("stackweave.record." + name.group(1), stage);
    }
    if (begins && !attack.startsWith(AT_START)) {
      Files.createFile(recording);
    } else {
      plant(recording);
    }
    return begins ? "Started recording 1." : "Stopped recording \"" + ESCAPE + "\".";
  }

  private void plant(Path file) throws Exception {
    if (!attack.equals("none") && !attack.startsWith("repository") && !attack.equals("escape")) {
      Files.deleteIfExists(file);
    }
    switch (attack.replace(AT_START, "")) {
      case "mount" -> {
        Files.writeString(file, "placeholder");
        run("mount", "--bind", secret.toString(), file.toString());
      }
      case "relative-link" -> Files.createSymbolicLink(file, file.getParent().relativize(secret));
      case "absolute-link" -> Files.createSymbolicLink(file, secret);
      case "fifo" -> run("mkfifo", file.toString());
      case "second-link" -> {
        Files.writeString(file, "a file with two names");
        Files.createLink(file.resolveSibling("other"), file);
      }
      case "device" -> run("mount", "--bind", "/dev/zero", createdAt(file));
      default -> Files.write(file, chunk());
    }
  }

  /** A header that is finished, and zeros to which it points for constants and metadata. */
  private static byte[] chunk() {
    ByteBuffer chunk = ByteBuffer.allocate(80).putInt(0x464C5200).putInt(0x20001);
    return chunk.putLong(80).putLong(68).putLong(68).array();
  }

  private static String createdAt(Path file) throws IOException {
    return Files.createFile(file).toString();
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IllegalStateException(String.join(" ", command));
    }
  }
}
