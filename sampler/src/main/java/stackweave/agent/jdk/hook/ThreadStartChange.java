package stackweave.agent.jdk.hook;

import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Adds a call of {@link StartedThreads} to the end of every {@code start} of java.lang.Thread:
 * start(), and since JDK 21 start(ThreadContainer), which executors with a thread per task use.
 * Exceptions of the call are dropped. Immutable.
 */
final class ThreadStartChange extends MethodChange {
  private final String called;

  /**
   * @param called the class whose method is called
   */
  ThreadStartChange(String called) {
    super("start", ")V");
    this.called = called.replace('.', '/');
  }

  @Override
  protected MethodVisitor change(MethodVisitor next, String owner) {
    return new End(next);
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
        super.visitMethodInsn(Opcodes.INVOKESTATIC, called, "add", "(Ljava/lang/Thread;)V", false);
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
