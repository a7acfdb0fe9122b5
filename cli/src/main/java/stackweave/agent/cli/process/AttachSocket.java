package stackweave.agent.cli.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import stackweave.agent.cli.common.Waiting;
import stackweave.linux.Descriptor;
import stackweave.linux.FileFacts;
import stackweave.linux.NativeBuffer;

/**
 * A client of HotSpot's attach mechanism (attachListener.cpp, attachListener_posix.cpp; JDK 9 to
 * 27, protocol version 1): on SIGQUIT, a JVM that finds a file with its process id makes a socket
 * in the /tmp it sees. Used by {@link TargetJvm}. Not thread-safe.
 *
 * <p>Module jdk.attach can't be used (sun.tools.attach.VirtualMachineImpl, JDK 17 to 25). As root
 * it creates and removes .attach_pid by a path through /proc/PID/cwd and /proc/PID/root, where
 * links of the JVM's user lead into root's own file system, and changes the owner of that file by
 * its name. It connects to any socket of that name, sends SIGQUIT to the process that has the id by
 * then, and waits for an answer without limit. With the rights of the JVM's user it can't enter the
 * root of a JVM in a user namespace.
 */
final class AttachSocket {
  private static final String TMP = "/tmp";
  private static final String VERSION = "1";

  /** attachListener.hpp, arg_count_max. */
  private static final int MAX_ARGUMENTS = 3;

  /** attachListener.hpp, arg_length_max: a JVM does not answer longer ones. */
  static final int ARGUMENT_BYTES = 1024;

  private static final int READABLE_BY_OTHERS = 0066;
  private static final long START_NANOS = 10_000_000_000L;
  private static final int PAUSE_MILLIS = 20;

  /** The longest time without data from the JVM. */
  private static final int SILENCE_SECONDS = 120;

  /** How often it is looked whether a JVM that is silent is stopped. */
  private static final int LOOK_SECONDS = 1;

  /** How long a stopped JVM may take to go on. */
  private static final long STOPPED_NANOS = 2_000_000_000L;

  /** Time limit for connecting and the answer. */
  private static final long ANSWER_SECONDS = 150;

  private static final int BUFFER = 1 << 16;
  private static final int MAX_BYTES = 16 << 20;

  /**
   * How long to wait for another command's attach that is under way: a second SIGQUIT to a JVM that
   * already listens would print all its threads' stacks.
   */
  private static final long OTHERS_NANOS = 1_000_000_000L;

  private final TargetProcess target;
  private final String socket;

  private AttachSocket(TargetProcess target) {
    this.target = target;
    this.socket = TMP + "/.java_pid" + target.pidThere();
  }

  /** Makes the JVM listen if it doesn't yet. */
  static AttachSocket open(TargetProcess target) throws IOException {
    AttachSocket attach = new AttachSocket(target);
    if (!attach.listens()) {
      attach.start();
    }
    return attach;
  }

  private boolean listens() throws IOException {
    try {
      target.files().act(this::connect).close();
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private Descriptor connect() throws IOException {
    try (Descriptor found = target.files().root().find(socket)) {
      FileFacts facts = found.facts();
      if (!facts.isSocket()
          || facts.uid() != target.uid()
          || (facts.permissions() & READABLE_BY_OTHERS) != 0) {
        throw new IOException(socket + " there is no socket of its user's alone");
      }
      Descriptor stream = found.connect(SILENCE_SECONDS, LOOK_SECONDS);
      Descriptor.Peer peer = stream.peer();
      if (peer.uid() != target.uid() || peer.pid() != target.pid()) {
        stream.close();
        throw new IOException(socket + " there is another process's");
      }
      return stream;
    }
  }

  private void start() throws IOException {
    UserFiles files = target.files();
    try (Descriptor tmp = files.act(() -> files.root().find(TMP))) {
      Trigger trigger = files.act(() -> makeTrigger(tmp));
      try {
        if (!awaitListening(trigger.isNew() ? 0 : OTHERS_NANOS)) {
          target.sendQuit();
          if (!awaitListening(START_NANOS)) {
            throw new IOException(target.isAlive() ? "it made no socket" : "it ended");
          }
        }
      } finally {
        files.act(() -> Files.deleteIfExists(trigger.file()));
      }
    }
  }

  private boolean awaitListening(long nanos) throws IOException {
    return Waiting.until(() -> listens() || !target.isAlive(), nanos, PAUSE_MILLIS)
        && target.isAlive();
  }

  /**
   * The file that makes a JVM take SIGQUIT as an attach request.
   *
   * @param isNew false if it was there: another command may be attaching, or it is stale; HotSpot
   *     ignores it if it belongs to another user
   */
  private record Trigger(Path file, boolean isNew) {}

  /**
   * Creates the trigger file where HotSpot looks for it: in the JVM's working directory, which few
   * users can write, else in /tmp.
   */
  private Trigger makeTrigger(Descriptor tmp) throws IOException {
    String name = ".attach_pid" + target.pidThere();
    boolean isNew = true;
    if (target.cwd() != null) {
      try {
        return new Trigger(
            Files.createFile(target.cwd().path().resolve(name), UserFiles.OF_OWNER), true);
      } catch (FileAlreadyExistsException e) {
        isNew = false;
      } catch (IOException e) {
        // The directory is not writable for its user, or removed.
      }
    }
    Path file = tmp.path().resolve(name);
    try {
      return new Trigger(Files.createFile(file, UserFiles.OF_OWNER), isNew);
    } catch (FileAlreadyExistsException e) {
      return new Trigger(file, false);
    }
  }

  /**
   * Sends a command of the attach protocol and returns the answer.
   *
   * @return the bytes after the result code, which is 0
   * @throws RefusedException if the JVM answers with another result code
   * @throws StoppedException if it is stopped; it may carry out the command later
   */
  byte[] ask(String command, String... arguments) throws IOException {
    mustRun();
    StringBuilder request = new StringBuilder(VERSION + "\0" + command + "\0");
    for (int i = 0; i < MAX_ARGUMENTS; i++) {
      String argument = i < arguments.length ? arguments[i] : "";
      int bytes = argument.getBytes(StandardCharsets.UTF_8).length;
      if (bytes > ARGUMENT_BYTES) {
        throw new RefusedException(
            "it takes " + ARGUMENT_BYTES + " bytes at once, and these are " + bytes);
      }
      request.append(argument).append('\0');
    }
    byte[] answer = answer(request.toString().getBytes(StandardCharsets.UTF_8));
    // The result code is in the first line.
    String[] lines = new String(answer, StandardCharsets.ISO_8859_1).split("\n", 2);
    byte[] text =
        Arrays.copyOfRange(answer, Math.min(lines[0].length() + 1, answer.length), answer.length);
    String code = lines[0].strip();
    if (!code.equals("0")) {
      throw new RefusedException(
          code.isEmpty() ? "no answer" : code + " " + new String(text, StandardCharsets.UTF_8));
    }
    return text;
  }

  /** Sends a request; if the socket was removed, makes the JVM listen again. */
  private byte[] answer(byte[] request) throws IOException {
    UserRights rights = target.files().rights();
    try {
      return rights.run(() -> converse(request), ANSWER_SECONDS);
    } catch (NoSuchFileException e) {
      // On SIGQUIT, HotSpot makes a socket again whose file is missing (JDK-8225690).
      start();
      return rights.run(() -> converse(request), ANSWER_SECONDS);
    }
  }

  private byte[] converse(byte[] request) throws IOException {
    try (Descriptor stream = connect();
        NativeBuffer buffer = NativeBuffer.allocate(BUFFER)) {
      buffer.bytes().put(0, request);
      stream.write(buffer, request.length);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      byte[] part = new byte[BUFFER];
      for (int n; (n = read(stream, buffer)) > 0; ) {
        buffer.bytes().get(0, part, 0, n);
        answer.write(part, 0, n);
        if (answer.size() > MAX_BYTES) {
          throw new IOException("its answer has no end");
        }
      }
      return answer.toByteArray();
    }
  }

  private int read(Descriptor stream, NativeBuffer buffer) throws IOException {
    for (int silent = LOOK_SECONDS; ; silent += LOOK_SECONDS) {
      try {
        return stream.read(buffer);
      } catch (SocketTimeoutException e) {
        if (silent >= SILENCE_SECONDS) {
          throw e;
        }
        mustRun();
      }
    }
  }

  /** Waits a moment for a process that is stopped. */
  private void mustRun() throws IOException {
    String why = target.whyStopped();
    if (!why.isEmpty()
        && !Waiting.until(() -> target.whyStopped().isEmpty(), STOPPED_NANOS, PAUSE_MILLIS)) {
      throw new StoppedException(why);
    }
  }

  /** The JVM is stopped; the message follows its name. */
  static final class StoppedException extends IOException {
    private static final long serialVersionUID = 1;

    StoppedException(String why) {
      super(why);
    }
  }

  /** The JVM refused a command; the message is its text. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String text) {
      super(text.strip());
    }
  }
}
