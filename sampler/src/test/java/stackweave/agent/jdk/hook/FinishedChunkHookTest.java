package stackweave.agent.jdk.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.SimpleRemapper;
import org.junit.jupiter.api.Test;

/** What becomes of classes like JFR's, and of classes that are not. */
class FinishedChunkHookTest {
  /** What the changed class has called. */
  static final List<Object> CALLS = new ArrayList<>();

  private static final String CHANGED = FinishedChunkHookTest.class.getName() + "$Changed";

  /** In place of {@link FinishedChunks}. */
  static final class Called {
    static void finish(Object chunk) {
      CALLS.add(chunk);
    }
  }

  /** With what JFR's class has. */
  static class Chunk {
    private Instant end;

    boolean finish(Instant instant) {
      boolean isFirst = end == null;
      end = instant;
      return isFirst;
    }

    boolean finish(String text) {
      return text.isEmpty();
    }
  }

  /** Of another JDK: the method returns nothing. */
  static class OtherChunk {
    void finish(Instant instant) {
      throw new IllegalStateException(instant.toString());
    }
  }

  /** The method has become a static one. */
  static class StaticChunk {
    static boolean finish(Instant instant) {
      return instant == null;
    }
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    String name = type.getName();
    try (InputStream in =
        type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
      return in.readAllBytes();
    }
  }

  @Test
  void theMethodCallsFirstAndDoesWhatItDid() throws Exception {
    byte[] changed = change().of(bytes(Chunk.class));
    Class<?> type = MethodHandles.lookup().defineClass(renamed(changed));
    var constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object chunk = constructor.newInstance();
    var finish = type.getDeclaredMethod("finish", Instant.class);
    finish.setAccessible(true);
    var other = type.getDeclaredMethod("finish", String.class);
    other.setAccessible(true);
    assertEquals(true, finish.invoke(chunk, Instant.EPOCH));
    assertEquals(false, finish.invoke(chunk, Instant.EPOCH));
    assertEquals(true, other.invoke(chunk, ""));
    assertEquals(List.of(chunk, chunk), CALLS);
  }

  /** Under another name, as the class itself is loaded already. */
  private static byte[] renamed(byte[] classFile) {
    ClassWriter writer = new ClassWriter(0);
    SimpleRemapper remapper =
        new SimpleRemapper(
            Opcodes.ASM9, Chunk.class.getName().replace('.', '/'), CHANGED.replace('.', '/'));
    new ClassReader(classFile).accept(new ClassRemapper(writer, remapper), 0);
    return writer.toByteArray();
  }

  private static MethodChange change() {
    return FinishedChunkHook.change(Called.class.getName());
  }

  @Test
  void aClassWithoutThatMethodIsRefused() {
    for (Class<?> type : List.of(OtherChunk.class, StaticChunk.class, Called.class)) {
      HookException refused = assertThrows(HookException.class, () -> change().of(bytes(type)));
      assertEquals(
          type.getName() + " has no method finish(Ljava/time/Instant;)Z", refused.getMessage());
    }
    assertThrows(RuntimeException.class, () -> change().of(new byte[100]));
  }

  /** The class of the JDK that runs the tests. */
  @Test
  void jfrsOwnClassIsAsExpected() throws Exception {
    Class<?> type = Class.forName(FinishedChunkHook.CHUNK, false, null);
    try (InputStream in = type.getResourceAsStream("RepositoryChunk.class")) {
      assertNotNull(FinishedChunkHook.change(FinishedChunkHook.COPY).of(in.readAllBytes()));
    }
  }
}
