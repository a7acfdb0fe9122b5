package stackweave.agent.feature.call;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import stackweave.agent.jdk.hook.ChangedMethods;

/**
 * Has the application's JNA look for functions by names without the wrappers' prefix. {@code
 * Native.register(type)} links each method of a class that is native with the function of that
 * name; of a method with a wrapper that is the method with the prefix. Used by {@link
 * CallTransformer}. Stateless.
 */
final class JnaLookup {
  /** Also where it was moved to another package. */
  private static final String LIBRARY = "com/sun/jna/NativeLibrary";

  /** Where all ways to a function meet, JNA 3.2 to 5.19. */
  private static final String LOOKUP = "getSymbolAddress";

  private static final String LOOKUP_DESCRIPTOR = "(Ljava/lang/String;)J";

  private static final int NAME = 1;

  private JnaLookup() {}

  /** Whether a class, with slashes, is the one that looks up functions. */
  static boolean isLookup(String className) {
    return className.endsWith(LIBRARY);
  }

  /** The class file with the change; null if it has no such method. */
  static byte[] write(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, 0);
    Methods methods = new Methods(writer);
    reader.accept(methods, 0);
    return methods.found() > 0 ? writer.toByteArray() : null;
  }

  private static final class Methods extends ChangedMethods {
    Methods(ClassVisitor next) {
      super(next, LOOKUP, LOOKUP_DESCRIPTOR);
    }

    @Override
    protected MethodVisitor change(MethodVisitor next) {
      return new Lookup(next);
    }
  }

  private static final class Lookup extends MethodVisitor {
    Lookup(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      visitVarInsn(Opcodes.ALOAD, NAME);
      visitMethodInsn(
          Opcodes.INVOKESTATIC,
          CallSwitch.COPY.replace('.', '/'),
          "plainName",
          "(Ljava/lang/String;)Ljava/lang/String;",
          false);
      visitVarInsn(Opcodes.ASTORE, NAME);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
      super.visitMaxs(Math.max(1, stack), locals);
    }
  }
}
