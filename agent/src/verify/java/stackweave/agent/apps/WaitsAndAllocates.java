package stackweave.agent.apps;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait in ways of their own, each in a method of its own, and say in the file {@code
 * waits} when: method, state, begin and end in nanoseconds since 1970. They wait from the file
 * {@code ready} on. From the file {@code begin} on, the first thread allocates known amounts of
 * native memory, and then makes the file {@code done}; it ends with the file {@code end}.
 */
public final class WaitsAndAllocates {
  /** How many blocks are allocated, and how many bytes each has. */
  public static final int ROUNDS = 100;

  public static final int LEAK_BYTES = 64 << 10;

  private static final long EPOCH_NANOS = epochNanos() - System.nanoTime();
  private static final Object MONITOR = new Object();
  private static final List<ByteBuffer> KEPT = new ArrayList<>();
  private static final Queue<String> WAITS = new ConcurrentLinkedQueue<>();

  /** What a thread does for ever. */
  private interface Work {
    void once() throws Exception;
  }

  private WaitsAndAllocates() {}

  /**
   * Runs it.
   *
   * @param arguments the pause after each allocation, in ms
   */
  public static void main(String[] arguments) throws Exception {
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
    Socket peer = server.accept();
    begin("sleeping", WaitsAndAllocates::sleepOften);
    begin("parking", WaitsAndAllocates::parkOften);
    begin("holding", WaitsAndAllocates::hold);
    begin("entering", WaitsAndAllocates::enterAndPause);
    begin("writing", () -> write(peer.getOutputStream()));
    begin("reading", () -> readOften(socket.getInputStream()));
    Files.createFile(Path.of("ready"));
    while (!Files.exists(Path.of("begin")) && !Files.exists(Path.of("end"))) {
      allocateBefore();
      Thread.sleep(100);
    }
    for (int i = 0; i < ROUNDS; i++) {
      leak();
      Thread.sleep(Long.parseLong(arguments[0]));
    }
    Files.createFile(Path.of("done"));
    while (!Files.exists(Path.of("end"))) {
      Thread.sleep(50);
    }
    Files.write(Path.of("waits"), WAITS);
    System.exit(KEPT.isEmpty() ? 1 : 0);
  }

  private static void begin(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  work.once();
                }
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void sleepOften() throws InterruptedException {
    long begin = System.nanoTime();
    Thread.sleep(25);
    waited("sleepOften sleep", begin);
  }

  private static void parkOften() {
    long begin = System.nanoTime();
    LockSupport.parkNanos(40_000_000L);
    waited("parkOften park", begin);
  }

  private static void hold() throws InterruptedException {
    synchronized (MONITOR) {
      Thread.sleep(30);
    }
    Thread.sleep(10);
  }

  private static void enterAndPause() throws InterruptedException {
    enterOften();
    pauseOften();
  }

  private static void enterOften() {
    long begin = System.nanoTime();
    synchronized (MONITOR) {
      waited("enterOften monitor", begin);
    }
  }

  private static void pauseOften() throws InterruptedException {
    long begin = System.nanoTime();
    Thread.sleep(15);
    waited("pauseOften sleep", begin);
  }

  private static void write(OutputStream peer) throws IOException, InterruptedException {
    peer.write(1);
    Thread.sleep(30);
  }

  private static void readOften(InputStream socket) throws IOException {
    long begin = System.nanoTime();
    socket.read();
    waited("readOften socket", begin);
  }

  private static void waited(String how, long begin) {
    WAITS.add(how + " " + (EPOCH_NANOS + begin) + " " + (EPOCH_NANOS + System.nanoTime()));
  }

  private static long epochNanos() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  private static void allocateBefore() {
    KEPT.add(ByteBuffer.allocateDirect(LEAK_BYTES));
  }

  private static void leak() {
    KEPT.add(ByteBuffer.allocateDirect(LEAK_BYTES));
  }
}
