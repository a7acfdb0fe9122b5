package stackweave.lab.matrix;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** The methods that each method of a class calls, by the index of the calling bytecode. */
final class CallSites {
  /** Calls whose callee the class file does not name. */
  static final String ANY = "*";

  private static final Set<String> HANDLES =
      Set.of("java/lang/invoke/MethodHandle", "java/lang/invoke/VarHandle");

  private final Map<String, Map<Integer, String>> methods = new HashMap<>();
  private final String superclass;

  private CallSites(ClassReader reader) {
    superclass = reader.getSuperName();
  }

  static CallSites read(byte[] classFile) {
    Reader reader = new Reader(classFile);
    CallSites sites = new CallSites(reader);
    reader.accept(sites.new Visitor(reader), ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return sites;
  }

  /** Binary name with dots; null for Object. */
  String superclass() {
    return superclass == null ? null : superclass.replace('/', '.');
  }

  /**
   * Bytecode index → name of the method called, {@link #ANY} where that is decided at run time;
   * null if the class has no such method with code.
   */
  Map<Integer, String> of(String name, String descriptor) {
    return methods.get(name + descriptor);
  }

  /** A reader that knows the bytecode index it is at. */
  private static final class Reader extends ClassReader {
    int bytecodeIndex;

    Reader(byte[] classFile) {
      super(classFile);
    }

    @Override
    protected void readBytecodeInstructionOffset(int bytecodeOffset) {
      bytecodeIndex = bytecodeOffset;
    }
  }

  private final class Visitor extends ClassVisitor {
    private final Reader reader;

    Visitor(Reader reader) {
      super(Opcodes.ASM9);
      this.reader = reader;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
        return null;
      }
      Map<Integer, String> calls = new HashMap<>();
      methods.put(name + descriptor, calls);
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitMethodInsn(
            int opcode, String owner, String called, String type, boolean ofInterface) {
          calls.put(reader.bytecodeIndex, HANDLES.contains(owner) ? ANY : called);
        }

        @Override
        public void visitInvokeDynamicInsn(
            String called, String type, Handle bootstrap, Object... arguments) {
          calls.put(reader.bytecodeIndex, ANY);
        }
      };
    }
  }
}
