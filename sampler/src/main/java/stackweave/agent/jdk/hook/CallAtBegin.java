package stackweave.agent.jdk.hook;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** Puts a call of a static method at the beginning of a method. Immutable. */
public final class CallAtBegin extends MethodChange {
  private final String called;
  private final String calledName;
  private final String calledDescriptor;
  private final int argument;

  /**
   * @param method name and descriptor of the method that is changed
   * @param called the class with the static method that is called
   * @param argument index of the variable that is passed, and that gets the result if there is one
   */
  public CallAtBegin(
      String method,
      String descriptor,
      String called,
      String calledName,
      String calledDescriptor,
      int argument) {
    super(method, descriptor);
    this.called = called.replace('.', '/');
    this.calledName = calledName;
    this.calledDescriptor = calledDescriptor;
    this.argument = argument;
  }

  @Override
  protected MethodVisitor change(MethodVisitor next, String owner) {
    return new MethodVisitor(Opcodes.ASM9, next) {
      @Override
      public void visitCode() {
        super.visitCode();
        visitVarInsn(Opcodes.ALOAD, argument);
        visitMethodInsn(Opcodes.INVOKESTATIC, called, calledName, calledDescriptor, false);
        if (!calledDescriptor.endsWith("V")) {
          visitVarInsn(Opcodes.ASTORE, argument);
        }
      }
    };
  }
}
