package stackweave.linux.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.net.ServerSocket;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import stackweave.cpu.CallKind;
import stackweave.cpu.SystemCall;
import stackweave.linux.CpuTime;
import stackweave.linux.SystemCalls;
import stackweave.linux.task.TaskFiles.Answer;
import stackweave.linux.task.TaskFiles.DescriptorKind;

/** What /proc says of threads, as Java's own file reader sees the same files. */
class TaskFilesTest {
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final SystemCalls calls = SystemCalls.current().orElseThrow();
  private final TaskFiles files = new TaskFiles(calls);

  @AfterEach
  void close() {
    files.close();
  }

  /** A thread that waits for a latch, and its id in the OS. */
  private int waiting(CountDownLatch latch) throws InterruptedException {
    AtomicInteger tid = new AtomicInteger();
    CountDownLatch known = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              tid.set(calls.gettid());
              known.countDown();
              try {
                latch.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.setDaemon(true);
    thread.start();
    known.await();
    return tid.get();
  }

  /** Whatever it is called: the kernel has the name in the file, in parentheses. */
  @Test
  void aThreadsAgeIsTheTimeSinceItsStart() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    long before = System.nanoTime();
    int tid = waiting(latch);
    Files.writeString(Path.of("/proc/self/task/" + tid + "/comm"), ") 1 (2 3)");
    long started = System.nanoTime();
    long least = System.nanoTime() - started;
    long age = files.age(tid);
    long most = System.nanoTime() - before;
    assertTrue(least - 5_000_000 <= age, least + " " + age);
    assertTrue(age <= most + 5_000_000, age + " " + most);
    Thread.sleep(30);
    assertTrue(files.age(tid) >= 20_000_000);
    assertEquals(-1, files.age(Integer.MAX_VALUE));
    latch.countDown();
  }

  @Test
  void blockedAndQueuedSignalsAreThoseOfTheStatusFile() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    int tid = waiting(latch);
    long blocked = 0;
    long queued = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/task/" + tid + "/status"))) {
      String[] parts = line.split("[:/]");
      blocked = parts[0].equals("SigBlk") ? Long.parseLong(parts[1].strip(), 16) : blocked;
      queued = parts[0].equals("SigQ") ? Long.parseLong(parts[1].strip()) : queued;
    }
    assertEquals(blocked, files.blockedSignals(tid));
    assertEquals(-1, files.blockedSignals(Integer.MAX_VALUE));
    assertEquals(queued, files.queuedSignals(tid), 10); // of all this user's processes
    assertFalse(files.waitsForSignal(tid));
    latch.countDown();
  }

  @Test
  void aWaitingThreadShowsItsCallAndRegisters() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    int tid = waiting(latch);
    Path file = Path.of("/proc/self/task/" + tid + "/syscall");
    long begin = System.nanoTime();
    while (files.readCall(tid) != Answer.WAITS) {
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
      Thread.sleep(5);
    }
    String[] words = Files.readString(file).strip().split(" ");
    assertEquals(Long.parseLong(words[0]), files.call());
    assertEquals(CallKind.FUTEX, SystemCall.kind(files.call()));
    for (int i = 0; i < 6; i++) {
      assertEquals(Long.decode(words[1 + i]), files.argument(i));
    }
    assertEquals(Long.decode(words[7]), files.sp());
    assertEquals(Long.decode(words[8]), files.pc());
    String[] schedstat =
        Files.readString(Path.of("/proc/self/task/" + tid + "/schedstat")).strip().split(" ");
    assertEquals(Long.parseLong(schedstat[1]), files.runDelay(tid));
    try (CpuTime clock = new CpuTime()) {
      assertEquals(Long.parseLong(schedstat[0]), clock.ofThread(tid));
      latch.countDown();
      while (files.readCall(tid) != Answer.ENDED) {
        assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
        Thread.sleep(5);
      }
      assertEquals(-1, clock.ofThread(tid));
    }
  }

  @Test
  void aThreadThatRunsSaysSo() throws Exception {
    AtomicInteger tid = new AtomicInteger();
    AtomicBoolean ending = new AtomicBoolean();
    Thread busy =
        new Thread(
            () -> {
              tid.set(calls.gettid());
              while (!ending.get()) {
                Thread.onSpinWait();
              }
            });
    busy.setDaemon(true);
    busy.start();
    long begin = System.nanoTime();
    while (tid.get() == 0 || files.readCall(tid.get()) != Answer.RUNS) {
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
    }
    ending.set(true);
    busy.join();
  }

  @Test
  void descriptorsAreWhatTheirLinksSay() throws Exception {
    List<String> before = links();
    try (ServerSocket socket = new ServerSocket(0);
        Pipe.SourceChannel pipe = Pipe.open().source();
        Selector selector = Selector.open();
        FileInputStream device = new FileInputStream("/dev/zero");
        FileInputStream file = new FileInputStream("/proc/self/maps")) {
      assertTrue(socket.isBound() && pipe.isOpen() && selector.isOpen());
      assertTrue(device.getFD().valid() && file.getFD().valid());
      int seen = 0;
      for (String link : links()) {
        int fd = Integer.parseInt(link.substring(0, link.indexOf(' ')));
        String target = link.substring(link.indexOf(' ') + 1);
        if (!before.contains(link)) {
          seen++;
        }
        assertEquals(kind(target), files.descriptor(fd), link);
      }
      assertTrue(seen >= 5, "new descriptors: " + seen);
    }
    assertEquals(DescriptorKind.UNKNOWN, files.descriptor(1_000_000));
    assertEquals(DescriptorKind.UNKNOWN, files.descriptor(-1));
  }

  private static DescriptorKind kind(String target) {
    if (target.startsWith("socket:")) {
      return DescriptorKind.SOCKET;
    }
    if (target.startsWith("pipe:")) {
      return DescriptorKind.PIPE;
    }
    if (target.contains("eventpoll")) {
      return DescriptorKind.EPOLL;
    }
    return target.startsWith("/") && !target.startsWith("/dev/")
        ? DescriptorKind.PATH
        : DescriptorKind.DEVICE;
  }

  /** {@code fd target} of each open descriptor that stays open. */
  private static List<String> links() throws Exception {
    try (var directory = Files.list(Path.of("/proc/self/fd"))) {
      return directory
          .filter(Files::isSymbolicLink)
          .map(TaskFilesTest::link)
          .filter(link -> !link.contains("/proc/") || link.endsWith("/maps"))
          .toList();
    }
  }

  private static String link(Path path) {
    try {
      return path.getFileName() + " " + Files.readSymbolicLink(path);
    } catch (java.io.IOException e) {
      return "-1 /proc/closed";
    }
  }

  @Test
  void aPipeIsToldByWhereTheKernelSleeps() throws Exception {
    Pipe pipe = Pipe.open();
    AtomicInteger tid = new AtomicInteger();
    Thread reader =
        new Thread(
            () -> {
              tid.set(calls.gettid());
              try {
                pipe.source().read(java.nio.ByteBuffer.allocate(1));
              } catch (java.io.IOException e) {
                return; // closed: the test has ended
              }
            });
    reader.setDaemon(true);
    reader.start();
    long begin = System.nanoTime();
    while (tid.get() == 0 || !files.waitsForPipe(tid.get())) {
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS);
      Thread.sleep(5);
    }
    pipe.sink().close();
    reader.join();
  }
}
