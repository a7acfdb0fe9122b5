package stackweave.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import net.bytebuddy.jar.asm.ClassReader;
import org.junit.jupiter.api.Test;

/** What remains of the Byte Buddy that the agent carries. */
class ByteBuddyPartsTest {

  /** Reads class files, as the agent does. */
  private static final class User {
    private User() {}

    static String name() throws IOException {
      return new ClassReader("java.lang.Object").getClassName();
    }
  }

  @Test
  void whatAsmNeedsIsKeptAndTheRestIsNot() throws Exception {
    ByteBuddyParts parts = new ByteBuddyParts();
    addAll(parts);
    try (InputStream in = getClass().getResourceAsStream("ByteBuddyPartsTest$User.class")) {
      parts.user(in.readAllBytes());
    }
    Map<String, byte[]> needed = parts.needed();
    assertTrue(needed.containsKey("net/bytebuddy/jar/asm/ClassReader"));
    assertTrue(needed.containsKey("net/bytebuddy/jar/asm/MethodWriter"));
    for (String name : needed.keySet()) {
      assertTrue(name.startsWith("net/bytebuddy/jar/asm/"), name);
    }
  }

  @Test
  void nothingIsKeptThatNobodyUses() throws Exception {
    ByteBuddyParts parts = new ByteBuddyParts();
    addAll(parts);
    assertEquals(Map.of(), parts.needed());
  }

  private static void addAll(ByteBuddyParts parts) throws Exception {
    URI jar = ClassReader.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    try (JarFile file = new JarFile(Path.of(jar).toFile())) {
      for (JarEntry entry : Collections.list(file.entries())) {
        if (ByteBuddyParts.isPart(entry.getName()) && !entry.getName().endsWith("-info.class")) {
          try (InputStream in = file.getInputStream(entry)) {
            parts.add(in.readAllBytes());
          }
        }
      }
    }
  }
}
