package stackweave.live.outside;

import java.lang.reflect.Method;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads whose work says by its frames which name they have: {@code NamesApp SECONDS}. Who has a
 * name of {@link #NAMES} runs the method of its number and nobody else does. One thread is renamed
 * at half of the time. Allocates, so that collections move the threads and their names.
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

  private static volatile Object kept;
  private static volatile long end;

  private NamesApp() {}

  public static void main(String[] args) throws Exception {
    long nanos = Long.parseLong(args[0]) * 1_000_000_000L;
    long renaming = System.nanoTime() + nanos / 2;
    end = System.nanoTime() + nanos;
    new Thread(() -> workOn(NamesApp::work0, end), NAMES[0]).start();
    new Thread(
            () -> {
              workOn(NamesApp::work1, renaming);
              Thread.currentThread().setName(NAMES[RENAMED + 1]);
              workOn(NamesApp::work2, end);
            },
            NAMES[RENAMED])
        .start();
    if (Runtime.version().feature() >= 21) {
      startVirtual(NAMES[FIRST_VIRTUAL], NamesApp::work3);
      startVirtual(NAMES[FIRST_VIRTUAL + 1], NamesApp::work4);
    }
    while (System.nanoTime() < end) {
      Thread.sleep(20);
    }
  }

  private static void startVirtual(String name, Runnable work) throws ReflectiveOperationException {
    Class<?> type = Class.forName("java.lang.Thread$Builder");
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    builder = type.getMethod("name", String.class).invoke(builder, name);
    Method start = type.getMethod("start", Runnable.class);
    start.invoke(builder, (Runnable) () -> workOn(work, end));
  }

  private static void workOn(Runnable work, long until) {
    while (System.nanoTime() < until) {
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
