package stackweave.packaging;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.Remapper;

/**
 * Of Byte Buddy, what the agent's classes lead to, without debug information and with properties of
 * its own: {@code net.bytebuddy.*} are switches for the application's Byte Buddy.
 *
 * <p>Whole packages that the agent has no way to are cut off, though other parts name them: the
 * agent builder, the build plug-ins, and the injection of classes, which alone touches
 * sun.misc.Unsafe.
 */
final class ByteBuddyParts {
  private static final int API = Opcodes.ASM9;
  private static final String PACKAGE = "net/bytebuddy/";

  private static final Set<String> CUT_OFF =
      Set.of("net/bytebuddy/agent/", "net/bytebuddy/build/", "net/bytebuddy/dynamic/loading/");

  private static final String PROPERTY = "net.bytebuddy.";

  /** What stands behind the prefix; the parts that are cut off read others. */
  private static final Set<String> PROPERTIES =
      Set.of(
          "depth",
          "dump",
          "experimental",
          "generate",
          "naming",
          "nexus.disabled",
          "processor",
          "raw",
          "reproducible",
          "safe",
          "securitymanager",
          "unadjusted",
          "validation");

  /** Those that the present parts must have: each can change what our copy does. */
  private static final Set<String> WATCHED = Set.of("depth", "experimental", "processor", "raw");

  private final Map<String, byte[]> parts = new HashMap<>();
  private final Map<String, Set<String>> references = new HashMap<>();
  private final Map<String, Set<String>> properties = new HashMap<>();
  private final Set<String> wanted = new TreeSet<>();
  private final Set<String> found = new HashSet<>();

  static boolean isPart(String path) {
    return path.startsWith(PACKAGE) && path.endsWith(".class");
  }

  /** Notes what a class that is no part of Byte Buddy refers to. */
  void user(byte[] classFile) {
    new ClassReader(classFile)
        .accept(new ClassRemapper(new ClassWriter(0), noting(wanted)), ClassReader.SKIP_DEBUG);
  }

  /** Takes a class of Byte Buddy. */
  void add(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    Set<String> referred = new HashSet<>();
    Set<String> read = new HashSet<>();
    ClassWriter writer = new ClassWriter(0);
    reader.accept(
        new ClassRemapper(new PropertyNames(writer, read), noting(referred)),
        ClassReader.SKIP_DEBUG);
    parts.put(reader.getClassName(), writer.toByteArray());
    references.put(reader.getClassName(), referred);
    properties.put(reader.getClassName(), read);
  }

  /** The parts that are needed by those noted, and by each other; by their internal names. */
  SortedMap<String, byte[]> needed() {
    SortedMap<String, byte[]> needed = new TreeMap<>();
    Deque<String> open = new ArrayDeque<>(wanted);
    while (!open.isEmpty()) {
      String name = open.pop();
      boolean ours = parts.containsKey(name) && CUT_OFF.stream().noneMatch(name::startsWith);
      if (ours && needed.put(name, parts.get(name)) == null) {
        open.addAll(references.get(name));
        found.addAll(properties.get(name));
      }
    }
    return needed;
  }

  /** Watched properties that no needed part reads; after {@link #needed}. */
  Set<String> unused() {
    Set<String> unused =
        new TreeSet<>(wanted.stream().anyMatch(this::isAdded) ? WATCHED : Set.of());
    unused.removeAll(found);
    return unused;
  }

  private boolean isAdded(String name) {
    return parts.containsKey(name);
  }

  private static Remapper noting(Set<String> names) {
    return new Remapper(API) {
      @Override
      public String map(String internalName) {
        if (internalName.startsWith(PACKAGE)) {
          names.add(internalName);
        }
        return null;
      }
    };
  }

  private static final class PropertyNames extends ClassVisitor {
    private final Set<String> read;

    PropertyNames(ClassVisitor next, Set<String> read) {
      super(API, next);
      this.read = read;
    }

    private Object renamed(Object value) {
      if (value instanceof String text
          && text.startsWith(PROPERTY)
          && PROPERTIES.contains(text.substring(PROPERTY.length()))) {
        read.add(text.substring(PROPERTY.length()));
        return "stackweave." + text;
      }
      return value;
    }

    @Override
    public FieldVisitor visitField(
        int access, String name, String descriptor, String signature, Object value) {
      return super.visitField(access, name, descriptor, signature, renamed(value));
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(API, method) {
        @Override
        public void visitLdcInsn(Object value) {
          super.visitLdcInsn(renamed(value));
        }
      };
    }
  }
}
