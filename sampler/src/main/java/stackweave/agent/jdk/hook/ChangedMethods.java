package stackweave.agent.jdk.hook;

import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Passes a class on with changes to its instance methods of one name that have code, and counts
 * them. For one class file.
 */
public abstract class ChangedMethods extends ClassVisitor {
  private static final int WITHOUT = Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_STATIC;

  private final String name;
  private final String descriptorEnd;
  private int found;

  /**
   * @param next takes the changed class; null for nobody
   * @param descriptorEnd of the methods' descriptors: a whole one, or {@code )} with a result's
   *     type
   */
  protected ChangedMethods(ClassVisitor next, String name, String descriptorEnd) {
    super(Opcodes.ASM9, next);
    this.name = name;
    this.descriptorEnd = descriptorEnd;
  }

  /** How many methods were changed. */
  public final int found() {
    return found;
  }

  /**
   * What takes the code of a method.
   *
   * @param next takes the changed code; null for nobody
   */
  protected abstract MethodVisitor change(MethodVisitor next);

  @Override
  public final MethodVisitor visitMethod(
      int access, String method, String descriptor, String signature, String[] exceptions) {
    MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
    if (!method.equals(name) || !descriptor.endsWith(descriptorEnd) || (access & WITHOUT) != 0) {
      return next;
    }
    found++;
    return change(next);
  }
}
