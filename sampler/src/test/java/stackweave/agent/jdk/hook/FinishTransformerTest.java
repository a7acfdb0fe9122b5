package stackweave.agent.jdk.hook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
class FinishTransformerTest {
  /** What the changed class has called. */
  static final List<Object> CALLS = new ArrayList<>();

  private static final String CHANGED = FinishTransformerTest.class.getName() + "$Changed";

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
    FinishTransformer transformer = new FinishTransformer(Chunk.class, Called.class.getName());
    byte[] changed = transformer.transform(bytes(Chunk.class));
    assertEquals("", transformer.failure());
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

  @Test
  void aClassWithoutExactlyThatMethodStaysAsItIs() throws Exception {
    for (Class<?> type : List.of(OtherChunk.class, StaticChunk.class, Called.class)) {
      FinishTransformer transformer = new FinishTransformer(type, Called.class.getName());
      assertNull(transformer.transform(null, "any", type, null, bytes(type)));
      assertEquals(
          type.getName() + " has 0 methods finish(Ljava/time/Instant;)Z, not 1",
          transformer.failure());
    }
  }

  @Test
  void otherClassesAndDamagedOnesStayAsTheyAre() throws Exception {
    FinishTransformer transformer = new FinishTransformer(Chunk.class, Called.class.getName());
    assertNull(transformer.transform(null, "any", String.class, null, bytes(Chunk.class)));
    assertTrue(transformer.failure().contains("not asked"), transformer.failure());
    assertNull(transformer.transform(null, "any", Chunk.class, null, new byte[100]));
    assertTrue(!transformer.failure().isEmpty());
  }

  /** The class of the JDK that runs the tests. */
  @Test
  void jfrsOwnClassIsAsExpected() throws Exception {
    Class<?> type = Class.forName("jdk.jfr.internal.RepositoryChunk", false, null);
    FinishTransformer transformer = new FinishTransformer(type, FinishedChunkHook.COPY);
    try (InputStream in = type.getResourceAsStream("RepositoryChunk.class")) {
      assertNotNull(transformer.transform(in.readAllBytes()));
    }
    assertEquals("", transformer.failure());
  }
}
