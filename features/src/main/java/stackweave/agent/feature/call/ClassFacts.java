package stackweave.agent.feature.call;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * What a class file says of native methods and serialization. Supertypes are read as class files,
 * too, because loading them here, while the class is being loaded, would be earlier than the JVM
 * does it. Immutable.
 *
 * @param natives names of the native methods
 * @param isMapped whether JNA links the native methods, by their names
 */
record ClassFacts(
    List<String> natives,
    boolean hasVersion,
    boolean isMapped,
    String superName,
    List<String> interfaces) {
  private static final String OBJECT = "java/lang/Object";
  private static final String ENUM = "java/lang/Enum";
  private static final String SERIALIZABLE = "java/io/Serializable";

  /** Types of JNA, also where it was moved to another package. */
  private static final String LIBRARY = "com/sun/jna/Library";

  private static final String NATIVE = "com/sun/jna/Native";

  private static final String LINKED_BY_JNA =
      "is linked by JNA, by the names of its native methods, which a wrapper would change";

  /** Tag of a method in the constant pool (JVMS 4.4). */
  private static final int METHOD_REF = 10;

  /** Most supertypes that are looked at. */
  private static final int MAX_SUPERTYPES = 500;

  static ClassFacts of(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    Members members = new Members();
    reader.accept(
        members, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return new ClassFacts(
        members.natives,
        members.hasVersion,
        isMapped(reader),
        reader.getSuperName(),
        List.of(reader.getInterfaces()));
  }

  /**
   * Whether the class calls {@code com.sun.jna.Native.register}. JNA finds the methods to register
   * by the modifier {@code native}, and fails if the library has no function of a method's name.
   */
  private static boolean isMapped(ClassReader reader) {
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int item = reader.getItem(i);
      // The second index of a long has no item.
      if (item > 0 && reader.readByte(item - 1) == METHOD_REF) {
        int nameAndType = reader.getItem(reader.readUnsignedShort(item + 2));
        if (reader.readUTF8(nameAndType, buffer).equals("register")
            && reader.readClass(item, buffer).endsWith(NATIVE)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Why a wrapper would harm: JNA would not find the function, or it could change the class's
   * default serialVersionUID, which counts the modifiers of methods (Java Object Serialization
   * Specification, 4.6).
   *
   * @param loader of the class
   * @return the reason, to follow the class's name; empty if none
   */
  String whyNotWrapped(ClassLoader loader) {
    if (isMapped) {
      return LINKED_BY_JNA;
    }
    if (hasVersion) {
      return "";
    }
    Set<String> seen = new HashSet<>();
    List<String> waiting = new ArrayList<>();
    add(this, waiting);
    while (!waiting.isEmpty()) {
      String type = waiting.remove(waiting.size() - 1);
      if (type.equals(ENUM)) {
        return ""; // serialized by name, with 0 as their serialVersionUID
      }
      if (type.equals(SERIALIZABLE)) {
        return "is Serializable and has no serialVersionUID, which a wrapper would change";
      }
      if (type.endsWith(LIBRARY)) {
        return LINKED_BY_JNA;
      }
      if (type.equals(OBJECT) || !seen.add(type)) {
        continue;
      }
      ClassFacts facts = seen.size() > MAX_SUPERTYPES ? null : read(type, loader);
      if (facts == null) {
        return "may be Serializable: its supertype " + type.replace('/', '.') + " can't be read";
      }
      add(facts, waiting);
    }
    return "";
  }

  private static void add(ClassFacts facts, List<String> waiting) {
    waiting.addAll(facts.interfaces);
    if (facts.superName != null) {
      waiting.add(facts.superName); // the superclass is the first
    }
  }

  private static ClassFacts read(String type, ClassLoader loader) {
    // Every loader gets these from the platform loader.
    ClassLoader asked = type.startsWith("java/") ? ClassLoader.getPlatformClassLoader() : loader;
    try (InputStream in = asked.getResourceAsStream(type + ".class")) {
      return in == null ? null : of(in.readAllBytes());
    } catch (IOException | RuntimeException e) {
      return null; // the application's loader failed
    }
  }

  private static final class Members extends ClassVisitor {
    private final List<String> natives = new ArrayList<>();
    private boolean hasVersion;

    Members() {
      super(Opcodes.ASM9);
    }

    @Override
    public FieldVisitor visitField(
        int access, String name, String descriptor, String signature, Object value) {
      int constant = Opcodes.ACC_STATIC | Opcodes.ACC_FINAL;
      hasVersion |=
          name.equals("serialVersionUID")
              && descriptor.equals("J")
              && (access & constant) == constant;
      return null;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      if ((access & Opcodes.ACC_NATIVE) != 0) {
        natives.add(name);
      }
      return null;
    }
  }
}
