package stackweave.agent.jdk.hook;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Adds to the beginning of {@code RepositoryChunk.finish} a call of {@link FinishedChunks}: two
 * instructions. It does nothing where the class has not exactly one such method.
 */
final class FinishTransformer implements ClassFileTransformer {
  private static final String METHOD = "finish";
  private static final String DESCRIPTOR = "(Ljava/time/Instant;)Z";

  private final Class<?> type;
  private final String called;
  private String failure = "the JVM has not asked for it";

  /**
   * @param type the class that is changed
   * @param called the class whose method is called
   */
  FinishTransformer(Class<?> type, String called) {
    this.type = type;
    this.called = called.replace('.', '/');
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (redefined != type) {
      return null;
    }
    try {
      return transform(classFile);
    } catch (Throwable e) {
      // The JVM would ignore the exception silently.
      failure = e.toString();
      return null;
    }
  }

  /** The class file with the call; null if it is to stay as it is, for a {@link #failure}. */
  byte[] transform(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, 0);
    Methods methods = new Methods(writer);
    reader.accept(methods, 0);
    if (methods.found() != 1) {
      failure =
          type.getName()
              + " has "
              + methods.found()
              + " methods "
              + METHOD
              + DESCRIPTOR
              + ", not 1";
      return null;
    }
    failure = "";
    return writer.toByteArray();
  }

  /** Why the class was not changed; "" if it was. */
  String failure() {
    return failure;
  }

  private final class Methods extends ChangedMethods {
    Methods(ClassVisitor next) {
      super(next, METHOD, DESCRIPTOR);
    }

    @Override
    protected MethodVisitor change(MethodVisitor next) {
      return new Begin(next);
    }
  }

  private final class Begin extends MethodVisitor {
    Begin(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitCode() {
      super.visitCode();
      visitVarInsn(Opcodes.ALOAD, 0);
      visitMethodInsn(Opcodes.INVOKESTATIC, called, METHOD, "(Ljava/lang/Object;)V", false);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      super.visitMaxs(Math.max(1, maxStack), maxLocals);
    }
  }
}
