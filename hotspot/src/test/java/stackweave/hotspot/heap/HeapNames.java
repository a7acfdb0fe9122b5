package stackweave.hotspot.heap;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import stackweave.hotspot.Vm;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * Threads with names of all kinds, and their names from the heap as if this JVM were another
 * process. A program of its own, so that it runs on any JDK with any collector.
 */
public final class HeapNames {
  private static final int ROUNDS = 400;

  /** Threads of which each has one of some names at a time. */
  private static final int RENAMED = 4;

  private HeapNames() {}

  /**
   * @param args {@code none} if this collector's names are not read
   */
  public static void main(String[] args) throws Exception {
    if (args.length > 0) {
      System.out.println(new Vm().hotspot.threadObjects() == null ? "none" : "read");
      return;
    }
    System.out.print(differences());
    Churned churned = whileObjectsMove();
    System.out.println(churned);
    System.exit(churned.wrong() == 0 && churned.right() > 0 ? 0 : 1);
  }

  /** Differences between the names that threads have and those in the heap; empty for none. */
  static String differences() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (String name : List.of("plain", "grün", "日本語の名前", "", "a".repeat(3_000), "\u001b[31m\n")) {
      threads.add(new Thread(() -> await(end), name));
      threads.add(new Subclass(() -> await(end), name));
    }
    Thread renamed = new Thread(() -> await(end), "first");
    threads.add(renamed);
    threads.forEach(Thread::start);
    renamed.setName("second");
    Vm vm = new Vm();
    ThreadObjects objects = vm.hotspot.threadObjects();
    Set<String> found = new HashSet<>();
    for (JavaThreads.JavaThread each : vm.hotspot.threads().all()) {
      ThreadObjects.Found thread = certain(objects, each.address());
      if (thread != null) {
        found.add(thread.id() + " " + thread.name());
      }
    }
    StringBuilder differences = new StringBuilder();
    for (Thread thread : allThreads()) {
      if (!found.contains(thread.getId() + " " + thread.getName())) {
        differences.append("not found: ").append(thread).append('\n');
      }
    }
    end.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    return differences.toString();
  }

  private static Set<Thread> allThreads() {
    return Thread.getAllStackTraces().keySet();
  }

  /** Tried again for a while, because a collection may move objects. */
  private static ThreadObjects.Found certain(ThreadObjects objects, long javaThread)
      throws InterruptedException {
    ThreadObjects.Found found = objects.read(javaThread);
    for (int i = 0; i < 20 && found == null; i++) {
      Thread.sleep(5);
      found = objects.read(javaThread);
    }
    return found;
  }

  /**
   * How many names were read while objects moved.
   *
   * @param wrong those that the thread never had
   */
  record Churned(int right, int wrong, int uncertain) {}

  static Churned whileObjectsMove() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread garbage =
        new Thread(
            () -> {
              List<byte[]> kept = new ArrayList<>();
              while (end.getCount() > 0) {
                kept.add(new byte[1 + kept.size() % 5_000]);
                if (kept.size() == 20_000) {
                  kept.clear();
                  System.gc();
                }
              }
            },
            "garbage");
    List<Thread> renamed = new ArrayList<>();
    for (int i = 0; i < RENAMED; i++) {
      String name = "renamed " + i + " ";
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; end.getCount() > 0; n++) {
                  Thread.currentThread().setName(name + n);
                  Thread.onSpinWait();
                }
              },
              name);
      renamed.add(thread);
    }
    garbage.start();
    renamed.forEach(Thread::start);
    Vm vm = new Vm();
    ThreadObjects objects = vm.hotspot.threadObjects();
    int right = 0;
    int wrong = 0;
    int uncertain = 0;
    Set<String> started = new HashSet<>();
    for (int i = 0; i < ROUNDS; i++) {
      for (JavaThreads.JavaThread each : vm.hotspot.threads().all()) {
        ThreadObjects.Found found = objects.read(each.address());
        if (found == null || found == ThreadObjects.Found.NONE) {
          uncertain++;
        } else if (isRight(found, garbage, renamed)) {
          right++;
        } else {
          wrong++;
          started.add(found.toString());
        }
      }
    }
    end.countDown();
    garbage.join();
    for (Thread thread : renamed) {
      thread.join();
    }
    started.forEach(System.out::println);
    return new Churned(right, wrong, uncertain);
  }

  private static boolean isRight(ThreadObjects.Found found, Thread garbage, List<Thread> renamed) {
    if (found.id() == garbage.getId()) {
      return found.name().equals("garbage");
    }
    for (int i = 0; i < RENAMED; i++) {
      if (found.id() == renamed.get(i).getId()) {
        return found.name().matches("renamed " + i + " [0-9]*");
      }
    }
    return !found.name().startsWith("renamed") && !found.name().equals("garbage");
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Subclass extends Thread {
    Subclass(Runnable runnable, String name) {
      super(runnable, name);
    }
  }
}
