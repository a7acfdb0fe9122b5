package stackweave.live.waiting;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Threads that wait for ever, in many ways, several in each. When all do, it writes what {@link
 * Thread#getStackTrace} says of each into the file {@code ready}, and ends when there is a file
 * {@code end}. Arguments: threads of each kind, the library with frame pointers, that without.
 */
final class WaitingApp {
  /** A way to wait. */
  interface Wait {
    void begin() throws Exception;
  }

  /** The build of waiting.c with frame pointers. */
  static final class WithPointers {
    private WithPointers() {}

    static native int block(int kind);

    static native int lock();

    static native int unlock();

    static native void callBack();

    static void parked() {
      while (!Thread.interrupted()) {
        LockSupport.park();
      }
    }
  }

  /** The build of waiting.c without. */
  static final class WithoutPointers {
    private WithoutPointers() {}

    static native int block(int kind);

    static native void callBack();

    static void parked() {
      while (!Thread.interrupted()) {
        LockSupport.park();
      }
    }
  }

  private static final String[] NATIVE = {
    "nanosleep",
    "condition",
    "semaphore",
    "receive",
    "poll",
    "pause",
    "pipe",
    "epoll",
    "select",
    "large"
  };

  private static final class Waiting extends Thread {
    private final Wait wait;

    Waiting(String name, Wait wait) {
      super(name);
      this.wait = wait;
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        wait.begin();
      } catch (Exception e) {
        System.err.println(getName() + " does not wait: " + e);
      }
    }
  }

  private static final List<Waiting> THREADS = new ArrayList<>();
  private static final List<Object> KEPT = new ArrayList<>();
  private static final Object HELD = new Object();
  private static final ReentrantLock LOCK = new ReentrantLock();

  private WaitingApp() {}

  public static void main(String[] arguments) throws Exception {
    System.load(arguments[1]);
    System.load(arguments[2]);
    int each = Integer.parseInt(arguments[0]);
    synchronized (HELD) {
      LOCK.lock();
      for (int i = 0; i < each; i++) {
        startAll(i);
      }
      List<String> lines = settled();
      Path half = Path.of("ready.new");
      Files.write(half, lines);
      Files.move(half, Path.of("ready"));
      while (!Files.exists(Path.of("end"))) {
        Thread.sleep(1_000);
      }
      System.exit(0); // with the monitor: all wait until the recording has ended
    }
  }

  private static void start(String name, Wait wait) {
    Waiting thread = new Waiting(name, wait);
    THREADS.add(thread);
    thread.start();
  }

  private static void startAll(int i) throws IOException, InterruptedException {
    start("park-" + i, () -> LockSupport.park());
    start("sleep-" + i, () -> Thread.sleep(1_000_000));
    start("monitor-" + i, WaitingApp::enter);
    start("wait-" + i, WaitingApp::waitForObject);
    start("lock-" + i, () -> LOCK.lock());
    LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();
    start("queue-" + i, () -> queue.take());
    ServerSocket server = keep(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    start("accept-" + i, () -> server.accept());
    ServerSocket peer = keep(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    Socket socket = keep(new Socket(peer.getInetAddress(), peer.getLocalPort()));
    start("read-" + i, () -> socket.getInputStream().read());
    Socket timed = keep(new Socket(peer.getInetAddress(), peer.getLocalPort()));
    timed.setSoTimeout(1_000_000);
    start("timedread-" + i, () -> timed.getInputStream().read());
    DatagramSocket datagrams = keep(new DatagramSocket(0, InetAddress.getLoopbackAddress()));
    start("datagram-" + i, () -> datagrams.receive(new DatagramPacket(new byte[8], 8)));
    Selector selector = keep(Selector.open());
    start("selector-" + i, () -> selector.select());
    File fifo = new File("fifo-" + i);
    new ProcessBuilder("mkfifo", fifo.getPath()).start().waitFor();
    start("fifo-" + i, () -> new FileInputStream(fifo).read());
    Process child = new ProcessBuilder("cat").start(); // until this process has ended
    start("child-" + i, () -> child.waitFor());
    start("output-" + i, () -> child.getInputStream().read());
    for (int kind = 0; kind < NATIVE.length; kind++) {
      int way = kind;
      start(NATIVE[kind] + "-fp-" + i, () -> WithPointers.block(way));
      start(NATIVE[kind] + "-no-" + i, () -> WithoutPointers.block(way));
    }
    start("callback-fp-" + i, WithPointers::callBack);
    start("callback-no-" + i, WithoutPointers::callBack);
  }

  private static <T> T keep(T resource) {
    KEPT.add(resource);
    return resource;
  }

  private static void enter() {
    synchronized (HELD) {
      KEPT.add(HELD);
    }
  }

  private static void waitForObject() throws InterruptedException {
    Object own = new Object();
    synchronized (own) {
      own.wait();
    }
  }

  /** What getStackTrace says of all, once it says the same of all twice, half a second apart. */
  private static List<String> settled() throws InterruptedException {
    List<String> before = List.of();
    while (true) {
      List<String> now = THREADS.stream().map(WaitingApp::line).toList();
      if (now.equals(before)) {
        return now;
      }
      before = now;
      Thread.sleep(500);
    }
  }

  private static String line(Thread thread) {
    StringBuilder line = new StringBuilder(thread.getName());
    Arrays.stream(thread.getStackTrace())
        .forEach(
            frame ->
                line.append('|')
                    .append(frame.getClassName())
                    .append(' ')
                    .append(frame.getMethodName())
                    .append(' ')
                    .append(frame.getLineNumber()));
    return line.toString();
  }
}
