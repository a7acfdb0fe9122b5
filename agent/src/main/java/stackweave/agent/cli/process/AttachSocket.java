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
 * HotSpot's attach mechanism (attachListener.cpp, attachListener_posix.cpp; JDK 9 to 27, version 1
 * of its protocol): a socket in the /tmp that the JVM sees, which it makes when it gets SIGQUIT and
 * finds a file with its process id.
 *
 * <p>Not the JDK's own client (module jdk.attach): that one uses names in the target's directories
 * with the rights of whoever runs it, changes owners by name, and waits for ever. Here all is done
 * with the rights of the JVM's user; so it also reaches JVMs in user namespaces, which take no
 * other user's request, root's included.
 */
final class AttachSocket {
  private static final String TMP = "/tmp";
  private static final String VERSION = "1";

  /** attachListener.hpp, arg_count_max. */
  private static final int ARGUMENTS = 3;

  private static final int READABLE_BY_OTHERS = 0066;
  private static final int OWNER_ONLY = 0600;
  private static final long START_NANOS = 10_000_000_000L;
  private static final int PAUSE_MILLIS = 20;
  private static final int ANSWER_MILLIS = 120_000;

  /** The answer's time, and that of connecting. */
  private static final long ANSWER_SECONDS = 150;

  private static final int BUFFER = 1 << 16;
  private static final int MAX_BYTES = 16 << 20;

  /**
   * How long another command that has begun is left to it: a second SIGQUIT, to a JVM that listens
   * by then, has it print all its threads' stacks.
   */
  private static final long OTHERS_NANOS = 1_000_000_000L;

  private final TargetProcess target;
  private final String socket;
  private final String trigger;

  /** Whether the file that asks the JVM to listen was there already. */
  private boolean othersStart;

  private AttachSocket(TargetProcess target) {
    this.target = target;
    this.socket = TMP + "/.java_pid" + target.pidThere();
    this.trigger = ".attach_pid" + target.pidThere();
  }

  /** Makes the JVM listen, if it doesn't yet. */
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
            where.close();
            return null;
          });
    }
  }

  /** Where HotSpot looks: in its working directory, where few can write, then in /tmp. */
  private Descriptor makeTrigger() throws IOException {
    if (target.cwd() != null) {
      try {
        target.cwd().create(trigger, OWNER_ONLY).close();
        return target.cwd();
      } catch (FileAlreadyExistsException e) {
        othersStart = true; // or somebody left it behind
      } catch (IOException e) {
        // Its user can't write there, or it is removed.
      }
    }
    Descriptor tmp = target.root().find(TMP);
    try {
      tmp.create(trigger, OWNER_ONLY).close();
    } catch (FileAlreadyExistsException e) {
      othersStart = true;
      // Or left behind by somebody; if it isn't of the JVM's user, HotSpot passes it over.
    } catch (IOException e) {
      tmp.close();
      throw e;
    }
    return tmp;
  }

  /**
   * Has the JVM carry out a command.
   *
   * @return what it says after the result code, which is 0
   * @throws RefusedException if the JVM refuses it
   */
  byte[] ask(String command, String... arguments) throws IOException {
    StringBuilder request = new StringBuilder(VERSION + "\0" + command + "\0");
    for (int i = 0; i < ARGUMENTS; i++) {
      request.append(i < arguments.length ? arguments[i] : "").append('\0');
    }
    byte[] answer =
        target.act(
            () -> converse(request.toString().getBytes(StandardCharsets.UTF_8)), ANSWER_SECONDS);
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

  /** Of the time that an answer may take all in all, in ms. */
  private static int left(long start) {
    return (int) Math.max(0, ANSWER_MILLIS - (System.nanoTime() - start) / 1_000_000);
  }

  /** The JVM's own no; the message is its text. */
  static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String text) {
      super(text.strip());
    }
  }
}
