package stackweave.agent.cli.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.FileFacts;
import stackweave.agent.linux.NativeBuffer;

/**
 * A client of HotSpot's attach mechanism (attachListener.cpp, attachListener_posix.cpp; JDK 9 to
 * 27, protocol version 1): on SIGQUIT, a JVM that finds a file with its process id makes a socket
 * in the /tmp it sees. Used by {@link TargetJvm}. Not thread-safe.
 *
 * <p>Module jdk.attach is not used: it opens names in the target's directories with the rights of
 * its caller, changes owners by name, and waits without limit. Here everything is done with the
 * rights of the JVM's user, which also reaches JVMs in user namespaces.
 */
final class AttachSocket {
  private static final String TMP = "/tmp";
  private static final String VERSION = "1";

  /** attachListener.hpp, arg_count_max. */
  private static final int MAX_ARGUMENTS = 3;

  /** attachListener.hpp, arg_length_max: a JVM closes the connection without a word behind that. */
  static final int ARGUMENT_BYTES = 1024;

  private static final int READABLE_BY_OTHERS = 0066;
  private static final int OWNER_ONLY = 0600;
  private static final long START_NANOS = 10_000_000_000L;
  private static final int PAUSE_MILLIS = 20;
  private static final int ANSWER_MILLIS = 120_000;

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
  private final String trigger;

  /** Whether the trigger file existed already, so that another command may be attaching. */
  private boolean othersStart;

  private AttachSocket(TargetProcess target) {
    this.target = target;
    this.socket = TMP + "/.java_pid" + target.pidThere();
    this.trigger = ".attach_pid" + target.pidThere();
  }

  /** Makes the JVM listen if it doesn't yet. */
  static AttachSocket open(TargetProcess target) throws IOException {
    AttachSocket attach = new AttachSocket(target);
    if (!target.act(attach::listens)) {
      attach.start();
    }
    return attach;
  }

  private boolean listens() throws IOException {
    try {
      connect().close();
      return true;
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private Descriptor connect() throws IOException {
    try (Descriptor found = target.root().find(socket)) {
      FileFacts facts = found.facts();
      if (!facts.isSocket()
          || facts.uid() != target.uid()
          || (facts.permissions() & READABLE_BY_OTHERS) != 0) {
        throw new IOException(socket + " there is no socket of its user's alone");
      }
      Descriptor stream = found.connect();
      Descriptor.Peer peer = stream.peer();
      if (peer.uid() != target.uid() || peer.pid() != target.pid()) {
        stream.close();
        throw new IOException(socket + " there is another process's");
      }
      return stream;
    }
  }

  private void start() throws IOException {
    othersStart = false;
    Descriptor where = target.act(this::makeTrigger);
    try {
      long start = System.nanoTime();
      while (othersStart && System.nanoTime() - start < OTHERS_NANOS) {
        if (target.act(this::listens)) {
          return;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
      if (target.act(this::listens)) {
        return;
      }
      target.sendQuit();
      start = System.nanoTime();
      while (!target.act(this::listens)) {
        if (System.nanoTime() - start > START_NANOS || !target.isAlive()) {
          throw new IOException(target.isAlive() ? "it made no socket" : "it ended");
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      target.act(
          () -> {
            where.remove(trigger);
            if (where != target.cwd()) {
              where.close();
            }
            return null;
          });
    }
  }

  /**
   * Creates the trigger file where HotSpot looks: in the JVM's working directory, which few can
   * write, else in /tmp.
   */
  private Descriptor makeTrigger() throws IOException {
    if (target.cwd() != null) {
      try {
        target.cwd().create(trigger, OWNER_ONLY).close();
        return target.cwd();
      } catch (FileAlreadyExistsException e) {
        othersStart = true; // or a stale file
      } catch (IOException e) {
        // The directory is not writable for its user, or removed.
      }
    }
    Descriptor tmp = target.root().find(TMP);
    try {
      tmp.create(trigger, OWNER_ONLY).close();
    } catch (FileAlreadyExistsException e) {
      othersStart = true;
      // Or a stale file; HotSpot ignores it if it isn't the JVM user's.
    } catch (IOException e) {
      tmp.close();
      throw e;
    }
    return tmp;
  }

  /**
   * Sends a command of the attach protocol and returns the answer.
   *
   * @return the bytes after the result code, which is 0
   * @throws RefusedException if the JVM answers with another result code
   */
  byte[] ask(String command, String... arguments) throws IOException {
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
    int end = 0;
    while (end < answer.length && answer[end] != '\n') {
      end++;
    }
    byte[] text = Arrays.copyOfRange(answer, Math.min(end + 1, answer.length), answer.length);
    String code = new String(answer, 0, end, StandardCharsets.ISO_8859_1).strip();
    if (!code.equals("0")) {
      throw new RefusedException(
          code.isEmpty() ? "no answer" : code + " " + new String(text, StandardCharsets.UTF_8));
    }
    return text;
  }

  /** Sends a request, which makes the JVM listen again if somebody has removed its socket. */
  private byte[] answer(byte[] request) throws IOException {
    try {
      return target.act(() -> converse(request), ANSWER_SECONDS);
    } catch (NoSuchFileException e) {
      // On SIGQUIT, HotSpot makes a socket again whose file is missing (JDK-8225690).
      start();
      return target.act(() -> converse(request), ANSWER_SECONDS);
    }
  }

  private byte[] converse(byte[] request) throws IOException {
    try (Descriptor stream = connect();
        NativeBuffer buffer = NativeBuffer.allocate(BUFFER)) {
      buffer.bytes().put(0, request);
      stream.write(buffer, request.length);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      byte[] part = new byte[BUFFER];
      long start = System.nanoTime();
      for (int n; (n = stream.receive(buffer, left(start))) > 0; ) {
        buffer.bytes().get(0, part, 0, n);
        answer.write(part, 0, n);
        if (answer.size() > MAX_BYTES || left(start) == 0) {
          throw new IOException("its answer has no end");
        }
      }
      return answer.toByteArray();
    }
  }

  /** What is left of the time limit for an answer, in ms. */
  private static int left(long start) {
    return (int) Math.max(0, ANSWER_MILLIS - (System.nanoTime() - start) / 1_000_000);
  }

  /** The JVM refused a command; the message is its text. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String text) {
      super(text.strip());
    }
  }
}
