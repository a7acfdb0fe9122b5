package stackweave.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Native;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import stackweave.packaging.JnaRewriter.Change;

/** The whole of JNA, rewritten, and what is left in it. */
class JnaRewriterTest {

  private static final TreeMap<String, byte[]> ORIGINAL = new TreeMap<>();
  private static final TreeMap<String, byte[]> REWRITTEN = new TreeMap<>();
  private static final JnaRewriter REWRITER = new JnaRewriter();

  @BeforeAll
  static void rewriteAll() throws Exception {
    try (JarFile jar = new JarFile(jna().toFile())) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (name.endsWith(".class")
            && name.startsWith("com/sun/jna/")
            && !JnaRewriter.isReplaced(name)) {
          try (InputStream in = jar.getInputStream(entry)) {
            ORIGINAL.put(name, in.readAllBytes());
          }
          REWRITTEN.put(name, REWRITER.rewrite(ORIGINAL.get(name)));
        }
      }
    }
  }

  private static Path jna() throws Exception {
    return Path.of(Native.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  void everyChangeFoundSomethingToChange() {
    assertTrue(REWRITTEN.size() > 100, REWRITTEN.size() + " classes");
    assertEquals(Set.of(), REWRITER.unused());
  }

  @Test
  void changesThatFindNothingAreNamed() {
    JnaRewriter rewriter = new JnaRewriter();
    rewriter.rewrite(ORIGINAL.get("com/sun/jna/Pointer.class"));
    assertEquals(EnumSet.allOf(Change.class), rewriter.unused());
  }

  @Test
  void originalsMeetTheApplicationAndRewrittenOnesDoNot() {
    Set<String> before = new TreeSet<>();
    Set<String> after = new TreeSet<>();
    ORIGINAL.values().forEach(c -> meetings(c, before));
    REWRITTEN.values().forEach(c -> meetings(c, after));
    assertTrue(before.contains("java/util/logging/Logger.getLogger"), before.toString());
    assertTrue(before.contains("java/lang/System.setProperty"), before.toString());
    assertTrue(before.contains("java/lang/Runtime.exec"), before.toString());
    assertTrue(before.contains("com/sun/jna/internal/Cleaner.register"), before.toString());
    assertTrue(before.contains("\"jna.boot.library.path\""), before.toString());
    assertEquals(Set.of(), after);
  }

  /** Also descriptors, signatures and exception tables: the constant pool has them all. */
  @Test
  void noConstantPoolNamesLogging() {
    REWRITTEN.forEach(
        (name, content) ->
            assertFalse(
                new String(content, java.nio.charset.StandardCharsets.ISO_8859_1)
                    .contains("java/util/logging"),
                name));
  }

  @Test
  void aJarWithoutJnaIsRefused(@TempDir Path directory) throws IOException {
    Path classes = Files.createDirectory(directory.resolve("classes"));
    IOException refused =
        assertThrows(
            IOException.class,
            () -> AgentJar.write(directory.resolve("a.jar"), "1", classes.toString()));
    assertTrue(refused.getMessage().contains("LIBRARY_LOADING"), refused.getMessage());
    assertFalse(Files.exists(directory.resolve("a.jar")));
  }

  @Test
  void theSameEntryFromTwoPlacesIsRefused(@TempDir Path directory) throws Exception {
    String twice = jna() + File.pathSeparator + jna();
    IOException refused =
        assertThrows(
            IOException.class, () -> AgentJar.write(directory.resolve("a.jar"), "1", twice));
    assertTrue(refused.getMessage().contains("two places"), refused.getMessage());
  }

  /** Calls and property names by which a copy of JNA is seen from outside. */
  private static void meetings(byte[] classFile, Set<String> found) {
    new ClassReader(classFile)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] throwing) {
                return new MethodVisitor(Opcodes.ASM9) {
                  @Override
                  public void visitMethodInsn(
                      int opcode, String owner, String name, String descriptor, boolean itf) {
                    if (owner.startsWith("java/util/logging/")
                        || owner.startsWith("com/sun/jna/internal/Cleaner")
                        || name.equals("setProperty")
                        || name.equals("exec")
                        || (owner.equals("java/lang/Thread") && name.equals("start"))) {
                      found.add(owner + "." + name);
                    }
                  }

                  @Override
                  public void visitLdcInsn(Object value) {
                    if (value instanceof String text && text.matches("(jna|jnidispatch)\\..*")) {
                      found.add('"' + text + '"');
                    }
                  }
                };
              }
            },
            0);
  }
}
