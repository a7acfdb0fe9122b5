package stackweave.agent.jdk.hook;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Adds a call of {@link StartedThreads} to the end of every {@code start} of java.lang.Thread:
 * start(), and since JDK 21 start(ThreadContainer), which executors with a thread per task use.
 * What the call throws is not seen. By Byte Buddy's ASM alone: its advice would load some 500
 * classes more for these instructions, 0.5 s of CPU time at the start of sampling.
 */
final class ThreadStartTransformer implements ClassFileTransformer {
  private static final String START = "start";
  private static final String CALLED = "add";

  private final Class<?> type;
  private final String called;
  private Throwable failure;
  private boolean applied;

  /**
   * @param type the class that is changed
   * @param called the class whose method is called
   */
  ThreadStartTransformer(Class<?> type, String called) {
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
      byte[] transformed = transform(classFile);
      applied = true;
      return transformed;
    } catch (Throwable e) {
      // The JVM would ignore the exception silently.
      failure = e;
      return null;
    }
  }

  /**
   * The class file with the calls.
   *
   * @throws IllegalStateException if no method is called {@code start}
   */
  byte[] transform(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new FramesWriter(reader);
    Methods methods = new Methods(writer);
    reader.accept(methods, ClassReader.SKIP_FRAMES); // those of other methods are copied
    if (methods.found() == 0) {
      throw new IllegalStateException(type.getName() + " has no method " + START);
    }
    return writer.toByteArray();
  }

  /** Whether Thread was transformed. */
  boolean applied() {
    return applied;
  }

  /** Why it was not, or null. */
  Throwable failure() {
    return failure;
  }

  private final class Methods extends ChangedMethods {
    Methods(ClassVisitor next) {
      super(next, START, ")V");
    }

    @Override
    protected MethodVisitor change(MethodVisitor next) {
      return new End(next);
    }
  }

  /** Each return goes to the method's end, which no handler of the method covers. */
  private final class End extends MethodVisitor {
    private final Label begin = new Label();
    private final Label end = new Label();
    private final Label handler = new Label();
    private boolean returns;

    End(MethodVisitor next) {
      super(Opcodes.ASM9, next);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.RETURN) {
        returns = true;
        super.visitJumpInsn(Opcodes.GOTO, begin);
      } else {
        super.visitInsn(opcode);
      }
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      if (returns) {
        super.visitLabel(begin);
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, called, CALLED, "(Ljava/lang/Thread;)V", false);
        super.visitLabel(end);
        super.visitInsn(Opcodes.RETURN);
        super.visitLabel(handler);
        super.visitInsn(Opcodes.POP);
        super.visitInsn(Opcodes.RETURN);
        super.visitTryCatchBlock(begin, end, handler, null);
      }
      super.visitMaxs(0, 0); // computed
    }
  }
}
