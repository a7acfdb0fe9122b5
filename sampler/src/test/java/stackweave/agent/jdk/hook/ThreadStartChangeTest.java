package stackweave.agent.jdk.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.SimpleRemapper;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a class like Thread; the JVM verifies its frames when it is defined. */
class ThreadStartChangeTest {
  private static final List<Thread> ADDED = new ArrayList<>();
  private static boolean refuses;

  /** Called instead of {@link StartedThreads}. */
  static final class Called {
    private Called() {}

    static void add(Thread thread) {
      if (refuses) {
        throw new StackOverflowError();
      }
      ADDED.add(thread);
    }
  }

  /** With returns in the middle, in a lock, and after a handler, as JDKs have them. */
  static class Starts extends Thread {
    private String state = "";

    @Override
    public void start() {
      if (!state.isEmpty()) {
        throw new IllegalThreadStateException(state);
      }
      synchronized (this) {
        state = "started";
        if (Thread.holdsLock(this)) {
          return;
        }
      }
      state = "never";
    }

    void start(Object container) {
      boolean started = false;
      try {
        state = container.toString();
        started = true;
      } finally {
        if (!started) {
          state = "failed";
        }
      }
    }

    int start(int other) {
      return other;
    }

    static void start(String other) {
      assertNotNull(other);
    }
  }

  @BeforeEach
  void begin() {
    ADDED.clear();
    refuses = false;
  }

  /** A changed copy of the class under another name, as the class itself is loaded already. */
  private static Thread changed(String suffix) throws Exception {
    byte[] classFile;
    try (InputStream in = bytes(Starts.class)) {
      classFile = new ThreadStartChange(Called.class.getName()).of(in.readAllBytes());
    }
    ClassWriter writer = new ClassWriter(0);
    String internal = Starts.class.getName().replace('.', '/');
    SimpleRemapper remapper = new SimpleRemapper(Opcodes.ASM9, internal, internal + suffix);
    new ClassReader(classFile).accept(new ClassRemapper(writer, remapper), 0);
    Class<?> type = MethodHandles.lookup().defineClass(writer.toByteArray());
    return (Thread) type.getDeclaredConstructor().newInstance();
  }

  private static InputStream bytes(Class<?> type) {
    String name = type.getName();
    return type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class");
  }

  private static void start(Thread thread, Object container) throws Exception {
    var start = thread.getClass().getDeclaredMethod("start", Object.class);
    start.setAccessible(true);
    start.invoke(thread, container);
  }

  @Test
  void eachStartThatReturnsIsTold() throws Exception {
    Thread thread = changed("Told");
    thread.start();
    assertFalse(Thread.holdsLock(thread));
    start(thread, "container");
    assertEquals(List.of(thread, thread), ADDED);
  }

  @Test
  void aStartThatThrowsIsNot() throws Exception {
    Thread thread = changed("Thrown");
    assertThrows(InvocationTargetException.class, () -> start(thread, null));
    assertEquals(
        "failed", assertThrows(IllegalThreadStateException.class, thread::start).getMessage());
    assertEquals(List.of(), ADDED);
  }

  @Test
  void whatTheCallThrowsIsNotSeen() throws Exception {
    refuses = true;
    changed("Refused").start();
    assertEquals(List.of(), ADDED);
  }

  @Test
  void otherMethodsOfThatNameStay() throws Exception {
    Class<?> type = changed("Others").getClass();
    var other = type.getDeclaredMethod("start", int.class);
    other.setAccessible(true);
    assertEquals(5, other.invoke(type.getDeclaredConstructor().newInstance(), 5));
    assertEquals(List.of(), ADDED);
  }

  /** The JVM's own Thread, with all that its methods have. */
  @Test
  void threadItselfIsChanged() throws Exception {
    try (InputStream in = Thread.class.getResourceAsStream("Thread.class")) {
      assertNotNull(new ThreadStartChange(ThreadStartHook.COPY).of(in.readAllBytes()));
    }
  }

  @Test
  void aClassWithoutSuchAMethodIsNot() throws IOException {
    try (InputStream in = bytes(Called.class)) {
      byte[] classFile = in.readAllBytes();
      ThreadStartChange change = new ThreadStartChange(ThreadStartHook.COPY);
      HookException refused = assertThrows(HookException.class, () -> change.of(classFile));
      assertEquals(Called.class.getName() + " has no method start)V", refused.getMessage());
    }
  }
}
