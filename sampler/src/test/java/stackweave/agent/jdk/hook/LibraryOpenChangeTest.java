package stackweave.agent.jdk.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.SimpleRemapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of classes like the JDK's of loaded libraries, and what they call then. */
class LibraryOpenChangeTest {
  private static final String CALLED = LibraryLoads.class.getName();

  /** What the listener was told. */
  private static final List<Object> TOLD = new ArrayList<>();

  /** With what the JDK's classes have. */
  static class Library {
    final String name;
    long handle;

    Library(String name) {
      this.name = name;
    }

    boolean open() {
      if (handle != 0) {
        throw new IllegalStateException("open already");
      }
      for (int i = 0; i < name.length(); i++) {
        if (name.charAt(i) == '!') {
          return false;
        }
      }
      handle = name.length();
      return true;
    }

    boolean open(String other) {
      return other.isEmpty();
    }
  }

  /** Of another JDK. */
  static class Other {
    void open() {
      throw new IllegalStateException();
    }
  }

  @AfterEach
  void forget() {
    LibraryLoads.LISTENER.set(null);
    TOLD.clear();
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    String name = type.getName();
    try (InputStream in =
        type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
      return in.readAllBytes();
    }
  }

  /** A changed copy of the class under another name, as the class itself is loaded already. */
  private static Class<?> changed(String suffix, boolean foreign) throws Exception {
    byte[] changed = new LibraryOpenChange(CALLED, foreign).of(bytes(Library.class));
    ClassWriter writer = new ClassWriter(0);
    String internal = Library.class.getName().replace('.', '/');
    SimpleRemapper remapper = new SimpleRemapper(Opcodes.ASM9, internal, internal + suffix);
    new ClassReader(changed).accept(new ClassRemapper(writer, remapper), 0);
    return MethodHandles.lookup().defineClass(writer.toByteArray());
  }

  private static Object library(Class<?> type, String name) throws Exception {
    var constructor = type.getDeclaredConstructor(String.class);
    constructor.setAccessible(true);
    return constructor.newInstance(name);
  }

  private static Method open(Class<?> type) throws Exception {
    Method open = type.getDeclaredMethod("open");
    open.setAccessible(true);
    return open;
  }

  private static BiConsumer<Long, Throwable> told(String path, boolean foreign) {
    TOLD.add(path + " " + foreign);
    return (handle, failure) -> {
      TOLD.add(handle);
      TOLD.add(String.valueOf(failure));
    };
  }

  @Test
  void theListenerIsToldBeginAndEnd() throws Exception {
    LibraryLoads.LISTENER.set(LibraryOpenChangeTest::told);
    Class<?> type = changed("Told", true);
    Object library = library(type, "abc");
    assertEquals(true, open(type).invoke(library));
    assertEquals(false, open(type).invoke(library(type, "a!")));
    assertEquals(List.of("abc true", 3L, "null", "a! true", 0L, "null"), TOLD);
    TOLD.clear();
    InvocationTargetException thrown =
        assertThrows(InvocationTargetException.class, () -> open(type).invoke(library));
    assertEquals("open already", thrown.getCause().getMessage());
    assertEquals(List.of("abc true", 0L, thrown.getCause().toString()), TOLD);
  }

  @Test
  void withoutAListenerItDoesWhatItDid() throws Exception {
    Class<?> type = changed("Alone", false);
    Object library = library(type, "abc");
    assertEquals(true, open(type).invoke(library));
    assertThrows(InvocationTargetException.class, () -> open(type).invoke(library));
    Method other = type.getDeclaredMethod("open", String.class);
    other.setAccessible(true);
    assertEquals(true, other.invoke(library, ""));
  }

  @Test
  void whatTheListenerThrowsIsNotSeen() throws Exception {
    Class<?> type = changed("Thrown", false);
    LibraryLoads.LISTENER.set(
        (path, foreign) -> {
          throw new IllegalStateException("at the begin");
        });
    assertEquals(true, open(type).invoke(library(type, "abc")));
    LibraryLoads.LISTENER.set(
        (path, foreign) ->
            (handle, failure) -> {
              throw new StackOverflowError("at the end");
            });
    assertEquals(true, open(type).invoke(library(type, "abc")));
    Object library = library(type, "abc");
    open(type).invoke(library);
    InvocationTargetException thrown =
        assertThrows(InvocationTargetException.class, () -> open(type).invoke(library));
    assertSame(IllegalStateException.class, thrown.getCause().getClass());
  }

  @Test
  void aClassWithoutThatMethodIsRefused() {
    LibraryOpenChange change = new LibraryOpenChange(CALLED, false);
    HookException refused = assertThrows(HookException.class, () -> change.of(bytes(Other.class)));
    assertEquals(Other.class.getName() + " has no method open()Z", refused.getMessage());
    assertThrows(RuntimeException.class, () -> change.of(new byte[100]));
  }

  /** The classes of the JDK that runs the tests. */
  @Test
  void theJdksOwnClassesAreAsExpected() throws Exception {
    for (String name : List.of(LibraryLoadHook.JNI, LibraryLoadHook.FOREIGN)) {
      try (InputStream in =
          Object.class.getModule().getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          assertTrue(
              Runtime.version().feature() == 17 && name.equals(LibraryLoadHook.FOREIGN), name);
          continue;
        }
        assertNotNull(new LibraryOpenChange(LibraryLoadHook.COPY, true).of(in.readAllBytes()));
      }
    }
  }
}
