package stackweave.packaging;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.SimpleRemapper;

/**
 * Takes out of JNA's classes everything through which two copies of JNA in one JVM, or JNA and the
 * application, would affect each other. Each {@link Change} names what it takes out; {@link
 * #unused()} returns those that found nothing to change. After an update of JNA that means that JNA
 * does the same elsewhere and is not isolated.
 */
final class JnaRewriter {

  /** What is changed, and why. */
  enum Change {
    /** {@code java.util.logging}: its first use fixes the LogManager before main() could choose. */
    LOGGING,
    /** The thread "JNA Cleaner", which lives as long as any registered object. */
    CLEANER,
    /** {@code jna.*} and {@code jnidispatch.*}: switches meant for the application's JNA. */
    PROPERTY_NAMES,
    /** {@code System.setProperty}: a trace that the application could see. */
    PROPERTY_WRITES,
    /** The search for libjnidispatch, which honours paths and leaves files. */
    LIBRARY_LOADING,
    /** {@code ldconfig -p}: a child process and the JVM's process reaper thread, for nothing. */
    LDCONFIG
  }

  private static final int API = Opcodes.ASM9;

  /** Our replacements, compiled with the agent and put into JNA's module. */
  static final String SHIM = "stackweave/jna/";

  private static final String CLEANER = "com/sun/jna/internal/Cleaner";

  private static final Map<String, String> RENAMED =
      Map.of(
          "java/util/logging/Logger",
          SHIM + "Logger",
          "java/util/logging/Level",
          SHIM + "Level",
          CLEANER,
          SHIM + "Cleaner",
          CLEANER + "$Cleanable",
          SHIM + "Cleaner$Cleanable");

  private final Set<Change> unused = EnumSet.allOf(Change.class);

  /** True for a class whose replacement makes it superfluous: {@code path} ends in .class. */
  static boolean isReplaced(String path) {
    return path.startsWith(CLEANER);
  }

  /** The class with all changes applied. Not thread-safe. */
  byte[] rewrite(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(0);
    ClassVisitor renaming = new ClassRemapper(writer, new CountingRemapper());
    reader.accept(new Edits(renaming), 0);
    return writer.toByteArray();
  }

  /** The changes that found nothing to change in any class so far. */
  Set<Change> unused() {
    return unused;
  }

  private final class CountingRemapper extends SimpleRemapper {
    CountingRemapper() {
      super(API, RENAMED);
    }

    @Override
    public String map(String internalName) {
      String renamed = super.map(internalName);
      if (renamed != null) {
        unused.remove(internalName.startsWith(CLEANER) ? Change.CLEANER : Change.LOGGING);
      }
      return renamed;
    }
  }

  /** Method bodies: replaced where the whole method has to go, else edited line by line. */
  private final class Edits extends ClassVisitor {
    private String owner;

    Edits(ClassVisitor next) {
      super(API, next);
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        String signature,
        String superName,
        String[] interfaces) {
      owner = name;
      super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
      switch (owner + "." + name + descriptor) {
        case "com/sun/jna/Native.loadNativeDispatchLibrary()V" -> {
          unused.remove(Change.LIBRARY_LOADING);
          method.visitCode();
          method.visitMethodInsn(
              Opcodes.INVOKESTATIC, SHIM + "DispatchLibrary", "load", "()V", false);
          method.visitInsn(Opcodes.RETURN);
          method.visitMaxs(0, 0);
          method.visitEnd();
          return null;
        }
        case "com/sun/jna/NativeLibrary.getLinuxLdPaths()Ljava/util/ArrayList;" -> {
          unused.remove(Change.LDCONFIG);
          method.visitCode();
          method.visitTypeInsn(Opcodes.NEW, "java/util/ArrayList");
          method.visitInsn(Opcodes.DUP);
          method.visitMethodInsn(
              Opcodes.INVOKESPECIAL, "java/util/ArrayList", "<init>", "()V", false);
          method.visitInsn(Opcodes.ARETURN);
          method.visitMaxs(2, 0);
          method.visitEnd();
          return null;
        }
        default -> {
          return new PropertyEdits(method);
        }
      }
    }
  }

  private final class PropertyEdits extends MethodVisitor {
    PropertyEdits(MethodVisitor next) {
      super(API, next);
    }

    @Override
    public void visitLdcInsn(Object value) {
      if (value instanceof String text
          && (text.startsWith("jna.") || text.startsWith("jnidispatch."))) {
        unused.remove(Change.PROPERTY_NAMES);
        super.visitLdcInsn("stackweave." + text);
      } else {
        super.visitLdcInsn(value);
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (owner.equals("java/lang/System") && name.equals("setProperty")) {
        unused.remove(Change.PROPERTY_WRITES);
        for (int i = 0; i < Type.getArgumentTypes(descriptor).length; i++) {
          super.visitInsn(Opcodes.POP);
        }
        super.visitInsn(Opcodes.ACONST_NULL); // no previous value
      } else {
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
      }
    }
  }
}
