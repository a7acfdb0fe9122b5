package stackweave.agent.jdk.hook;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Changes, in class files, the instance methods of one name that have code. Uses only Byte Buddy's
 * ASM: its Advice would load some 500 classes, 0.5 s of CPU time at each start. Immutable.
 */
public abstract class MethodChange {
  private static final int WITHOUT = Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE | Opcodes.ACC_STATIC;

  private final String name;
  private final String descriptorEnd;

  /**
   * @param descriptorEnd end of the methods' descriptors: a whole one, or {@code )} and a result's
   *     type
   */
  protected MethodChange(String name, String descriptorEnd) {
    this.name = name;
    this.descriptorEnd = descriptorEnd;
  }

  /**
   * The class file with the change.
   *
   * @throws HookException if it has no such method
   */
  public final byte[] of(byte[] classFile) throws HookException {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new FramesWriter(reader);
    Methods methods = new Methods(writer, reader.getClassName());
    reader.accept(methods, ClassReader.SKIP_FRAMES); // those of other methods are copied
    if (!methods.found) {
      throw new HookException(
          reader.getClassName().replace('/', '.') + " has no method " + name + descriptorEnd, null);
    }
    return writer.toByteArray();
  }

  /**
   * Returns a visitor that changes the code of a method.
   *
   * @param next takes the changed code
   * @param owner the class that is changed
   */
  protected abstract MethodVisitor change(MethodVisitor next, String owner);

  private final class Methods extends ClassVisitor {
    private final String owner;
    private boolean found;

    Methods(ClassVisitor next, String owner) {
      super(Opcodes.ASM9, next);
      this.owner = owner;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String method, String descriptor, String signature, String[] exceptions) {
      MethodVisitor next = super.visitMethod(access, method, descriptor, signature, exceptions);
      if (!method.equals(name) || !descriptor.endsWith(descriptorEnd) || (access & WITHOUT) != 0) {
        return next;
      }
      found = true;
      return change(next, owner);
    }
  }

  /**
   * Computes the stack map frames of changed methods. No class is loaded for it: in none of these
   * methods does a common superclass matter.
   */
  private static final class FramesWriter extends ClassWriter {
    FramesWriter(ClassReader reader) {
      super(reader, ClassWriter.COMPUTE_FRAMES);
    }

    @Override
    protected String getCommonSuperClass(String one, String other) {
      return "java/lang/Object";
    }
  }
}
