package stackweave.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.bytebuddy.asm.Advice;
import org.junit.jupiter.api.Test;

/** What remains of the Byte Buddy that the agent carries. */
class ByteBuddyPartsTest {
  private static final Pattern PROPERTY =
      Pattern.compile("(stackweave\\.)?net\\.bytebuddy\\.[a-z.]+(?![a-zA-Z.])");

  /** Uses advice, as the agent does. */
  private static final class User {
    private User() {}

    @Advice.OnMethodExit
    static void exit() {}

    static Advice advice() {
      return Advice.to(User.class);
    }
  }

  @Test
  void whatAdviceNeedsIsKeptAndTheRestIsNot() throws Exception {
    ByteBuddyParts parts = new ByteBuddyParts();
    int all = addAll(parts);
    try (InputStream in = getClass().getResourceAsStream("ByteBuddyPartsTest$User.class")) {
      parts.user(in.readAllBytes());
    }
    Map<String, byte[]> needed = parts.needed();
    assertTrue(needed.containsKey("net/bytebuddy/asm/Advice"));
    assertTrue(needed.containsKey("net/bytebuddy/jar/asm/ClassReader"));
    assertTrue(needed.size() < 0.7 * all, needed.size() + " of " + all);
    assertEquals(Set.of(), parts.unused());
    Set<String> properties = new TreeSet<>();
    for (Map.Entry<String, byte[]> part : needed.entrySet()) {
      String text = new String(part.getValue(), StandardCharsets.ISO_8859_1);
      assertFalse(
          text.contains("sun/misc/Unsafe") || text.contains("sun.misc.Unsafe"), part.getKey());
      // But for a message.
      Matcher matcher = PROPERTY.matcher(text.replace("'net.bytebuddy.naming' is set", ""));
      while (matcher.find()) {
        properties.add(matcher.group());
      }
    }
    assertTrue(properties.contains("stackweave.net.bytebuddy.experimental"), properties.toString());
    properties.removeIf(name -> name.startsWith("stackweave."));
    // The package of renamed types, and no property.
    assertEquals(Set.of("net.bytebuddy.renamed"), properties);
  }

  @Test
  void nothingIsKeptThatNobodyUses() throws Exception {
    ByteBuddyParts parts = new ByteBuddyParts();
    addAll(parts);
    assertEquals(Map.of(), parts.needed());
    assertEquals(Set.of(), parts.unused());
  }

  private static int addAll(ByteBuddyParts parts) throws Exception {
    URI jar = Advice.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    int count = 0;
    try (JarFile file = new JarFile(Path.of(jar).toFile())) {
      for (JarEntry entry : Collections.list(file.entries())) {
        if (ByteBuddyParts.isPart(entry.getName()) && !entry.getName().endsWith("-info.class")) {
          try (InputStream in = file.getInputStream(entry)) {
            parts.add(in.readAllBytes());
            count++;
          }
        }
      }
    }
    return count;
  }
}
