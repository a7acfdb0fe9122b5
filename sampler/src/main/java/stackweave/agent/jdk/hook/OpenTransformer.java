package stackweave.agent.jdk.hook;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.Map;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/**
 * Puts calls of {@link LibraryLoads} around the body of {@code boolean open()} of the JDK's classes
 * of loaded libraries, which have fields {@code String name} and {@code long handle}. It does
 * nothing where a class has not exactly one such method. By Byte Buddy's ASM alone, as {@link
 * ThreadStartTransformer}.
 */
final class OpenTransformer implements ClassFileTransformer {
  private static final String METHOD = "open";
  private static final String DESCRIPTOR = "()Z";
  private static final String END = "Ljava/util/function/BiConsumer;";

  /** Whether java.lang.foreign loads by it, for each class that is changed. */
  private final Map<Class<?>, Boolean> types;

  private final String called;
  private int done;
  private String failure = "the JVM has not asked for it";

  /**
   * @param types the classes that are changed, with whether java.lang.foreign loads by them
   * @param called the class whose methods are called
   */
  OpenTransformer(Map<Class<?>, Boolean> types, String called) {
    this.types = types;
    this.called = called.replace('.', '/');
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    Boolean foreign = redefined == null ? null : types.get(redefined);
    if (foreign == null) {
      return null;
    }
    try {
      byte[] transformed = transform(classFile, foreign);
      done += transformed == null ? 0 : 1;
      return transformed;
    } catch (Throwable e) {
      // The JVM would ignore the exception silently.
      failure = e.toString();
      return null;
    }
  }

  /** The class file with the calls; null if it is to stay as it is, for a {@link #failure}. */
  byte[] transform(byte[] classFile, boolean foreign) {
    ClassReader reader = new ClassReader(classFile);
    Opens opens = new Opens(null, foreign, 0);
    reader.accept(opens, ClassReader.SKIP_FRAMES);
    if (opens.found() != 1) {
      failure =
          reader.getClassName().replace('/', '.')
              + " has "
              + opens.found()
              + " methods "
              + METHOD
              + DESCRIPTOR
              + ", not 1";
      return null;
    }
    ClassWriter writer = new FramesWriter(reader);
    reader.accept(new Opens(writer, foreign, opens.maxLocals), ClassReader.SKIP_FRAMES);
    return writer.toByteArray();
  }

  /** Whether all classes were changed. */
  boolean isDone() {
    return done == types.size();
  }

  /** Why one was not changed, if one was not. */
  String failure() {
    return failure;
  }

  /** Finds the method, and changes it if there is a next visitor. */
  private final class Opens extends ChangedMethods {
    private final boolean foreign;
    private int maxLocals;
    private String owner;

    Opens(ClassVisitor next, boolean foreign, int maxLocals) {
      super(next, METHOD, DESCRIPTOR);
      this.foreign = foreign;
      this.maxLocals = maxLocals;
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
    protected MethodVisitor change(MethodVisitor next) {
      return next == null ? new Locals() : new Around(next, owner, foreign, maxLocals);
    }

    private final class Locals extends MethodVisitor {
      Locals() {
        super(Opcodes.ASM9);
      }

      @Override
      public void visitMaxs(int stack, int locals) {
        maxLocals = locals;
      }
    }
  }

  private final class Around extends MethodVisitor {
    private final String owner;
    private final boolean foreign;
    private final int load;
    private final Label begin = new Label();
    private final Label end = new Label();

    /**
     * @param load the number of a variable that the method does not use
     */
    Around(MethodVisitor next, String owner, boolean foreign, int load) {
      super(Opcodes.ASM9, next);
      this.owner = owner;
      this.foreign = foreign;
      this.load = load;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      super.visitVarInsn(Opcodes.ALOAD, 0);
      super.visitFieldInsn(Opcodes.GETFIELD, owner, "name", "Ljava/lang/String;");
      super.visitInsn(foreign ? Opcodes.ICONST_1 : Opcodes.ICONST_0);
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC, called, "begin", "(Ljava/lang/String;Z)" + END, false);
      super.visitVarInsn(Opcodes.ASTORE, load);
      super.visitLabel(begin);
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.IRETURN) {
        super.visitVarInsn(Opcodes.ALOAD, load);
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
      super.visitLabel(end);
      super.visitTryCatchBlock(begin, end, end, null);
      super.visitVarInsn(Opcodes.ASTORE, load + 1);
      super.visitVarInsn(Opcodes.ALOAD, load);
      super.visitInsn(Opcodes.LCONST_0);
      super.visitVarInsn(Opcodes.ALOAD, load + 1);
      callEnd();
      super.visitVarInsn(Opcodes.ALOAD, load + 1);
      super.visitInsn(Opcodes.ATHROW);
      super.visitMaxs(0, 0); // computed
    }
  }
}
