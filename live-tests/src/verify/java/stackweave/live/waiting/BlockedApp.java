package stackweave.live.waiting;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import stackweave.lab.Sampling;

/**
 * Threads that block again and again, each in a way of its own and for a known time, and say so by
 * events of their own, on JFR's clock: from before a block to behind it. They begin when the
 * process is sampled. Arguments: a library of waiting.c, and how often each thread blocks; without
 * that, until there is a file {@code end}. In the end a thread parks for ever.
 */
final class BlockedApp {
  /** One block, as the thread itself has it. */
  @Name(Own.NAME)
  @Label("Own")
  @StackTrace(false)
  @Threshold("0 ns")
  static final class Own extends Event {
    static final String NAME = "test.OwnBlock";

    /** Where the thread blocks. */
    public String method;
  }

  /** How long the others hold what a thread waits for, in ms. */
  static final int MILLIS = 60;

  /** A little more than the threshold, in ms. */
  static final int TURN_MILLIS = 7;

  /** Too short for the threshold. */
  static final int SHORT_MILLIS = 1;

  static final String PREFIX = "block-";

  private static final Path END = Path.of("end");
  private static final int BUSY_THREADS = 2;

  /** A way to block once. */
  interface Block {
    void once() throws Exception;
  }

  private static final Object MONITOR = new Object();
  private static final Object CONDITION = new Object();
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final ByteBuffer FILE_BYTES = ByteBuffer.allocateDirect(1 << 20);
  private static final List<CountDownLatch> ROUNDS = new ArrayList<>();
  private static int rounds;
  private static volatile boolean ending;
  private static volatile boolean parking;
  private static volatile long sink;

  private BlockedApp() {}

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[0]);
    rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
    Sampling.await();
    partner("monitor", BlockedApp::holdMonitor);
    partner("lock", BlockedApp::holdLock);
    partner("mutex", BlockedApp::holdMutex);
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    Socket socket = new Socket(server.getInetAddress(), server.getLocalPort());
    Socket peer = server.accept();
    partner("socket", () -> writeLate(() -> peer.getOutputStream().write(1)));
    Pipe pipe = Pipe.open();
    partner("pipe", () -> writeLate(() -> pipe.sink().write(ByteBuffer.wrap(new byte[1]))));
    FileChannel file =
        FileChannel.open(Path.of("synced"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    begin("sleep", "blockInSleep", BlockedApp::blockInSleep);
    begin("short", "blockShortly", BlockedApp::blockShortly);
    begin("monitor", "blockInMonitor", BlockedApp::blockInMonitor);
    begin("lock", "blockInLock", BlockedApp::blockInLock);
    begin("wait", "blockInWait", BlockedApp::blockInWait);
    begin("socket", "blockInSocket", () -> blockInSocket(socket));
    begin("pipe", "blockInPipe", () -> blockInPipe(pipe.source()));
    begin("file", "blockInFile", () -> blockInFile(file));
    begin("mutex", "blockInMutex", BlockedApp::blockInMutex);
    daemon(PREFIX + "turns", BlockedApp::blockInTurns);
    for (int i = 0; i < BUSY_THREADS; i++) {
      daemon("busy-" + i, BlockedApp::compute);
    }
    daemon("forever", BlockedApp::parkForEver);
    for (CountDownLatch each : ROUNDS) {
      each.await();
    }
    parking = true;
    while (rounds == 0 && !Files.exists(END)) {
      Thread.sleep(50);
    }
    Thread.sleep(5 * MILLIS);
    ending = true;
  }

  private static void daemon(String name, Block work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.once();
              } catch (Exception e) {
                System.err.println(name + ": " + e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  /** A thread that blocks, and says how long each time. */
  private static void begin(String kind, String method, Block block) {
    CountDownLatch left = new CountDownLatch(rounds);
    ROUNDS.add(left);
    daemon(
        PREFIX + kind,
        () -> {
          while (!ending) {
            block(method, block);
            left.countDown();
          }
        });
  }

  private static void block(String method, Block block) throws Exception {
    Own own = new Own();
    own.method = method;
    own.begin();
    block.once();
    own.end();
    own.commit();
  }

  /** One block right behind the other, each about as long as it takes until a look. */
  private static void blockInTurns() throws Exception {
    while (!ending) {
      block("turnOfOne", BlockedApp::turnOfOne);
      block("turnOfTwo", BlockedApp::turnOfTwo);
      block("turnOfThree", BlockedApp::turnOfThree);
    }
  }

  private static void turnOfOne() throws InterruptedException {
    Thread.sleep(TURN_MILLIS);
  }

  private static void turnOfTwo() throws InterruptedException {
    Thread.sleep(TURN_MILLIS + 1);
  }

  private static void turnOfThree() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS));
  }

  /** One that lets another one wait. */
  private static void partner(String kind, Block work) {
    daemon(
        "partner-" + kind,
        () -> {
          while (!ending) {
            work.once();
            Thread.sleep(2);
          }
        });
  }

  private static void holdMonitor() throws InterruptedException {
    synchronized (MONITOR) {
      Thread.sleep(MILLIS);
    }
  }

  private static void holdLock() throws InterruptedException {
    LOCK.lock();
    Thread.sleep(MILLIS);
    LOCK.unlock();
  }

  private static void holdMutex() throws InterruptedException {
    WaitingApp.WithPointers.lock();
    Thread.sleep(MILLIS);
    WaitingApp.WithPointers.unlock();
  }

  private static void writeLate(Block write) throws Exception {
    Thread.sleep(MILLIS);
    write.once();
  }

  static void blockInSleep() throws InterruptedException {
    Thread.sleep(MILLIS);
  }

  static void blockShortly() throws InterruptedException {
    Thread.sleep(SHORT_MILLIS);
  }

  static void blockInMonitor() {
    synchronized (MONITOR) {
      sink++;
    }
    // The partner has to get it, too.
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS));
  }

  static void blockInLock() {
    LOCK.lock();
    LOCK.unlock();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS));
  }

  static void blockInWait() throws InterruptedException {
    synchronized (CONDITION) {
      CONDITION.wait(MILLIS);
    }
  }

  static void blockInSocket(Socket socket) throws IOException {
    socket.getInputStream().read();
  }

  static void blockInPipe(Pipe.SourceChannel source) throws IOException {
    source.read(ByteBuffer.allocate(1));
  }

  static void blockInFile(FileChannel file) throws IOException {
    file.write(FILE_BYTES.clear(), 0);
    file.force(true);
  }

  static void blockInMutex() {
    WaitingApp.WithPointers.lock();
    WaitingApp.WithPointers.unlock();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(SHORT_MILLIS));
  }

  /** Loses its CPU to the others again and again, and is never blocked. */
  private static void compute() {
    long sum = 1;
    while (!ending) {
      for (int i = 0; i < 1_000_000; i++) {
        sum = sum * 31 + i;
      }
      sink = sum;
    }
  }

  private static void parkForEver() throws InterruptedException {
    while (!parking) {
      Thread.sleep(50);
    }
    while (true) {
      LockSupport.park();
    }
  }
}
