package stackweave.live.outside;

import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads whose work says by its frames which name they have: until its standard input ends. Who
 * has a name of {@link #NAMES} runs the method of its number and nobody else does. One thread is
 * renamed every ten seconds. Allocates, so that collections move the threads and their names.
 *
 * <p>Virtual threads by reflection, since the tests are compiled for JDK 17.
 */
final class NamesApp {
  static final String[] NAMES = {
    "a name that the kernel cuts",
    "before it is renamed",
    "Umbenannt: größer ✓",
    "virtual 3",
    "virtual 4",
  };

  private static final int RENAMED = 1;
  private static final int FIRST_VIRTUAL = 3;
  private static final long PIECE_NANOS = 2_000_000;
  private static final long STRETCH_NANOS = 10_000_000_000L;
  private static final long FOREVER = Long.MAX_VALUE;

  private static volatile Object kept;

  private NamesApp() {}

  public static void main(String[] args) throws Exception {
    new Thread(() -> workOn(NamesApp::work0, FOREVER), NAMES[0]).start();
    new Thread(NamesApp::renameOften, NAMES[RENAMED]).start();
    if (Runtime.version().feature() >= 21) {
      startVirtual(NAMES[FIRST_VIRTUAL], NamesApp::work3);
      startVirtual(NAMES[FIRST_VIRTUAL + 1], NamesApp::work4);
    }
    System.in.read();
    System.exit(0);
  }

  private static void renameOften() {
    while (true) {
      Thread.currentThread().setName(NAMES[RENAMED]);
      workOn(NamesApp::work1, STRETCH_NANOS);
      Thread.currentThread().setName(NAMES[RENAMED + 1]);
      workOn(NamesApp::work2, STRETCH_NANOS);
    }
  }

  private static void startVirtual(String name, Runnable work) throws ReflectiveOperationException {
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    builder = type.getMethod("name", String.class).invoke(builder, name);
    Method start = type.getMethod("start", Runnable.class);
    start.invoke(builder, (Runnable) () -> workOn(work, FOREVER));
  }

  private static void workOn(Runnable work, long nanos) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < nanos) {
      work.run();
      LockSupport.parkNanos(100_000); // a virtual thread goes on on another carrier, perhaps
    }
  }

  private static void work0() {
    burn();
  }

  private static void work1() {
    burn();
  }

  private static void work2() {
    burn();
  }

  private static void work3() {
    burn();
  }

  private static void work4() {
    burn();
  }

  private static void burn() {
    long until = System.nanoTime() + PIECE_NANOS;
    while (System.nanoTime() < until) {
      kept = new byte[100];
      for (int i = 0; i < 100; i++) {
        Thread.onSpinWait();
      }
    }
  }
}
