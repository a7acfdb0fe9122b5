package stackweave.agent.feature.call;

import java.util.ArrayList;
import java.util.List;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import stackweave.jfr.call.TimedMethods;

/**
 * Gives native methods of a class a wrapper: the method keeps its name, annotations and modifiers
 * except {@code native}, and calls a private native one with a prefix, which the JVM links with the
 * function of the name without prefix (JVM TI, SetNativeMethodPrefix). Everything else stays as it
 * was. Used by {@link CallTransformer}. Stateless.
 */
final class WrapperWriter {
  private static final String PREFIX = TimedMethods.PREFIX;

  /** Class files from here on have stack maps. */
  private static final int WITH_STACK_MAPS = Opcodes.V1_6;

  private static final String HOOK = CallSwitch.COPY.replace('.', '/');

  /** Words on the operand stack that the hook's arguments take: a long and an int. */
  private static final int ARGUMENT_WORDS = 3;

  /** Numbers the methods that are to get a wrapper. */
  @FunctionalInterface
  interface Numbering {
    /** The number of a native method; negative to leave it alone. */
    int number(String name, String descriptor);
  }

  private WrapperWriter() {}

  /** The class file with wrappers; null if no method gets one. */
  static byte[] write(byte[] classFile, Numbering numbering) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, 0);
    Methods methods = new Methods(writer, numbering);
    reader.accept(methods, 0);
    return methods.wrapped == 0 ? null : writer.toByteArray();
  }

  private static final class Methods extends ClassVisitor {
    private final Numbering numbering;
    private String className;
    private boolean hasStackMaps;
    private int wrapped;

    Methods(ClassVisitor next, Numbering numbering) {
      super(Opcodes.ASM9, next);
      this.numbering = numbering;
    }

    @Override
    public void visit(
        int version,
        int access,
        String name,
        String signature,
        String superName,
        String[] interfaces) {
      className = name;
      hasStackMaps = (version & 0xFFFF) >= WITH_STACK_MAPS;
      super.visit(version, access, name, signature, superName, interfaces);
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      boolean isNative = (access & Opcodes.ACC_NATIVE) != 0 && !name.startsWith(PREFIX);
      int number = isNative ? numbering.number(name, descriptor) : -1;
      if (number < 0) {
        return super.visitMethod(access, name, descriptor, signature, exceptions);
      }
      wrapped++;
      int prefixed =
          Opcodes.ACC_PRIVATE
              | Opcodes.ACC_NATIVE
              | Opcodes.ACC_SYNTHETIC
              | access & Opcodes.ACC_STATIC;
      super.visitMethod(prefixed, PREFIX + name, descriptor, null, exceptions).visitEnd();
      MethodVisitor wrapper =
          super.visitMethod(access & ~Opcodes.ACC_NATIVE, name, descriptor, signature, exceptions);
      return new Wrapper(this, wrapper, access, name, descriptor, number);
    }
  }

  /** Passes on annotations and parameters, and adds the code behind them. */
  private static final class Wrapper extends MethodVisitor {
    private final Methods of;
    private final boolean isStatic;
    private final String name;
    private final String descriptor;
    private final int number;

    Wrapper(
        Methods of, MethodVisitor next, int access, String name, String descriptor, int number) {
      super(Opcodes.ASM9, next);
      this.of = of;
      this.isStatic = (access & Opcodes.ACC_STATIC) != 0;
      this.name = name;
      this.descriptor = descriptor;
      this.number = number;
    }

    @Override
    public void visitEnd() {
      int argumentWords = 0;
      List<Object> locals = new ArrayList<>();
      if (!isStatic) {
        locals.add(of.className);
        argumentWords = 1;
      }
      Type[] arguments = Type.getArgumentTypes(descriptor);
      for (Type argument : arguments) {
        locals.add(local(argument));
        argumentWords += argument.getSize();
      }
      locals.add(Opcodes.LONG);
      int begin = argumentWords;
      Label first = new Label();
      Label behind = new Label();
      Label handler = new Label();
      visitCode();
      visitTryCatchBlock(first, behind, handler, null);
      number();
      visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "begin", "(I)J", false);
      visitVarInsn(Opcodes.LSTORE, begin);
      visitLabel(first);
      call(arguments);
      visitLabel(behind);
      end(begin);
      Type result = Type.getReturnType(descriptor);
      visitInsn(result.getOpcode(Opcodes.IRETURN));
      visitLabel(handler);
      if (of.hasStackMaps) {
        Object[] thrown = {"java/lang/Throwable"};
        visitFrame(Opcodes.F_FULL, locals.size(), locals.toArray(), 1, thrown);
      }
      end(begin);
      visitInsn(Opcodes.ATHROW);
      int resultWords = Math.max(1, result.getSize()); // or the exception
      visitMaxs(Math.max(argumentWords, resultWords + ARGUMENT_WORDS), argumentWords + 2);
      super.visitEnd();
    }

    private void call(Type[] arguments) {
      int word = 0;
      if (!isStatic) {
        visitVarInsn(Opcodes.ALOAD, word++);
      }
      for (Type argument : arguments) {
        visitVarInsn(argument.getOpcode(Opcodes.ILOAD), word);
        word += argument.getSize();
      }
      visitMethodInsn(
          isStatic ? Opcodes.INVOKESTATIC : Opcodes.INVOKESPECIAL,
          of.className,
          PREFIX + name,
          descriptor,
          false);
    }

    private void end(int begin) {
      visitVarInsn(Opcodes.LLOAD, begin);
      number();
      visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "end", "(JI)V", false);
    }

    /** Pushes a number below {@link CallHook#MAX_METHODS}. */
    private void number() {
      visitIntInsn(Opcodes.SIPUSH, number);
    }

    private static Object local(Type type) {
      return switch (type.getSort()) {
        case Type.LONG -> Opcodes.LONG;
        case Type.DOUBLE -> Opcodes.DOUBLE;
        case Type.FLOAT -> Opcodes.FLOAT;
        case Type.ARRAY, Type.OBJECT -> type.getInternalName();
        default -> Opcodes.INTEGER;
      };
    }
  }
}
