package stackweave.agent.jdk.hook;

import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Puts calls of {@link LibraryLoads} around the body of {@code boolean open()} of the JDK's classes
 * of loaded libraries, which have fields {@code String name} and {@code long handle}. Immutable.
 */
final class LibraryOpenChange extends MethodChange {
  private static final String END = "Ljava/util/function/BiConsumer;";

  /** Index of a variable that the method does not use, nor the next one. */
  private static final int LOAD = 16;

  private static final int THROWN = LOAD + 1;

  private final String called;
  private final boolean foreign;

  /**
   * @param called the class whose methods are called
   * @param foreign whether java.lang.foreign loads by the class that is changed
   */
  LibraryOpenChange(String called, boolean foreign) {
    super("open", "()Z");
    this.called = called.replace('.', '/');
    this.foreign = foreign;
  }

  @Override
  protected MethodVisitor change(MethodVisitor next, String owner) {
    return new Around(next, owner);
  }

  private final class Around extends MethodVisitor {
    private final String owner;
    private final Label begin = new Label();
    private final Label end = new Label();

    Around(MethodVisitor next, String owner) {
      super(Opcodes.ASM9, next);
      this.owner = owner;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      super.visitVarInsn(Opcodes.ALOAD, 0);
      super.visitFieldInsn(Opcodes.GETFIELD, owner, "name", "Ljava/lang/String;");
      super.visitInsn(foreign ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC, called, "begin", "(Ljava/lang/String;Z)" + END, false);
      super.visitVarInsn(Opcodes.ASTORE, LOAD);
      super.visitLabel(begin);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.IRETURN) {
        super.visitVarInsn(Opcodes.ALOAD, LOAD);
        super.visitVarInsn(Opcodes.ALOAD, 0);
        super.visitFieldInsn(Opcodes.GETFIELD, owner, "handle", "J");
        super.visitInsn(Opcodes.ACONST_NULL);
        callEnd();
      }
      super.visitInsn(opcode);
    }

    private void callEnd() {
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC, called, "end", "(" + END + "JLjava/lang/Throwable;)V", false);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
      if (maxLocals > LOAD) {
        throw new IllegalStateException(owner + ".open has " + maxLocals + " variables");
      }
      super.visitLabel(end);
      super.visitTryCatchBlock(begin, end, end, null);
      super.visitVarInsn(Opcodes.ASTORE, THROWN);
      super.visitVarInsn(Opcodes.ALOAD, LOAD);
      super.visitInsn(Opcodes.LCONST_0);
      super.visitVarInsn(Opcodes.ALOAD, THROWN);
      callEnd();
      super.visitVarInsn(Opcodes.ALOAD, THROWN);
      super.visitInsn(Opcodes.ATHROW);
      super.visitMaxs(0, 0); // computed
    }
  }
}
