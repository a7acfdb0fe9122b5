package stackweave.live.waiting;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import stackweave.lab.Sampling;

/**
 * A service whose workers compute, sleep, wait for answers from a socket, for a queue, for a lock
 * and for a monitor, and time all of it themselves; beside them threads that wait for ever. Begins
 * when it is sampled, and prints a line for each kind of work with its time in ns. Arguments:
 * seconds, workers, idle threads.
 */
final class WaitingService {
  /** What workers do; the method that does it is in each of their stacks. */
  public enum Work {
    COMPUTE("compute"),
    SLEEP("sleepFor"),
    SOCKET("request"),
    QUEUE("takeFromQueue"),
    LOCK("holdLock"),
    MONITOR("holdMonitor");

    private final String method;

    Work(String method) {
      this.method = method;
    }

    /** The name of the method. */
    public String method() {
      return method;
    }
  }

  /** What the names of workers begin with. */
  public static final String WORKER = "worker-";

  private static final int PORT_BACKLOG = 4_096;
  private static final long STACK_BYTES = 256 << 10;
  private static final AtomicLongArray TIMES = new AtomicLongArray(Work.values().length);
  private static final ReentrantLock LOCK = new ReentrantLock();
  private static final Object MONITOR = new Object();
  private static volatile double sink;

  private WaitingService() {}

  public static void main(String[] arguments) throws Exception {
    long seconds = Long.parseLong(arguments[0]);
    int workers = Integer.parseInt(arguments[1]);
    int idle = Integer.parseInt(arguments[2]);
    Sampling.await();
    start(workers, idle);
    Thread.sleep(TimeUnit.SECONDS.toMillis(seconds));
    // All go on to the recording's end.
    for (Work work : Work.values()) {
      System.out.println(work + " " + TIMES.get(work.ordinal()));
    }
  }

  /** Starts all threads, which run as long as the process. */
  static void start(int workers, int idle) throws IOException {
    for (int i = 0; i < idle; i++) {
      daemon("idle-" + i, WaitingService::idle);
    }
    ServerSocket server = new ServerSocket(0, PORT_BACKLOG, InetAddress.getLoopbackAddress());
    daemon("acceptor", () -> acceptAll(server));
    for (int i = 0; i < workers; i++) {
      Worker worker = new Worker(server, i, workers);
      daemon(WORKER + i, worker::run);
    }
  }

  /** The lines that it prints. */
  public static Map<Work, Long> parse(Iterable<String> lines) {
    Map<Work, Long> times = new EnumMap<>(Work.class);
    for (String line : lines) {
      String[] words = line.split(" ");
      times.put(Work.valueOf(words[0]), Long.valueOf(words[1]));
    }
    return times;
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(null, task, name, STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
  }

  private static void idle() {
    while (true) {
      LockSupport.park();
    }
  }

  private static void acceptAll(ServerSocket server) {
    try {
      while (true) {
        Socket socket = server.accept();
        daemon("answers-" + socket.getPort(), () -> answer(socket));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Each request says after how many ms it is to be answered. */
  private static void answer(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      for (int millis = in.read(); millis >= 0; millis = in.read()) {
        Thread.sleep(millis);
        out.write(millis);
      }
    } catch (IOException | InterruptedException e) {
      return; // the worker has ended
    }
  }

  private static final class Worker {
    private final ServerSocket server;
    private final SplittableRandom random;
    private final LinkedBlockingQueue<String> queue = new LinkedBlockingQueue<>();

    /** Locks are held for so long that on average few workers wait for them. */
    private final int workers;

    Worker(ServerSocket server, int seed, int workers) {
      this.server = server;
      this.random = new SplittableRandom(seed);
      this.workers = workers;
    }

    void run() {
      try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
        Work[] all = Work.values();
        while (true) {
          Work work = all[random.nextInt(all.length)];
          long begin = System.nanoTime();
          step(work, socket);
          TIMES.addAndGet(work.ordinal(), System.nanoTime() - begin);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void step(Work work, Socket socket) throws IOException, InterruptedException {
      switch (work) {
        case COMPUTE -> compute();
        case SLEEP -> sleepFor();
        case SOCKET -> request(socket);
        case QUEUE -> takeFromQueue();
        case LOCK -> holdLock();
        case MONITOR -> holdMonitor();
      }
    }

    /** About half a millisecond divided among the workers, so that CPUs are left. */
    private void compute() {
      double sum = 0;
      int rounds = 400_000 / workers;
      for (int i = 1; i < rounds; i++) {
        sum += Math.sqrt(i);
      }
      sink = sum;
    }

    private void sleepFor() throws InterruptedException {
      Thread.sleep(1 + random.nextInt(40));
    }

    private void request(Socket socket) throws IOException {
      socket.getOutputStream().write(1 + random.nextInt(60));
      socket.getInputStream().read();
    }

    private void takeFromQueue() throws InterruptedException {
      queue.poll(1 + random.nextInt(25), TimeUnit.MILLISECONDS);
    }

    private void holdLock() throws InterruptedException {
      LOCK.lock();
      try {
        LockSupport.parkNanos(10_000_000L / workers);
      } finally {
        LOCK.unlock();
      }
    }

    private void holdMonitor() throws InterruptedException {
      synchronized (MONITOR) {
        TimeUnit.NANOSECONDS.sleep(10_000_000L / workers);
      }
    }
  }
}
