package stackweave.agent.boot;

import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The members that JNA's rewritten classes use of our replacements, and those that the replacements
 * have: one that is missing would be an error of the first JVM that runs that line of JNA.
 */
final class JnaLinks {
  /** The package of our replacements. */
  static final String REPLACEMENTS = "stackweave/jna/";

  private static final int API = Opcodes.ASM9;

  private final Set<String> wanted = new TreeSet<>();
  private final Set<String> present = new TreeSet<>();

  /** Notes what a rewritten class of JNA refers to. */
  void user(byte[] classFile) {
    new ClassReader(classFile)
        .accept(
            new ClassVisitor(API) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] throwing) {
                return new MethodVisitor(API) {
                  @Override
                  public void visitMethodInsn(
                      int opcode, String owner, String name, String descriptor, boolean itf) {
                    want(owner, name, descriptor);
                  }

                  @Override
                  public void visitFieldInsn(
                      int opcode, String owner, String name, String descriptor) {
                    want(owner, name, descriptor);
                  }
                };
              }
            },
            ClassReader.SKIP_DEBUG);
  }

  /** Notes what one of our replacements declares. */
  void replacement(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    String owner = reader.getClassName();
    reader.accept(
        new ClassVisitor(API) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] throwing) {
            present(access, name, descriptor);
            return null;
          }

          @Override
          public FieldVisitor visitField(
              int access, String name, String descriptor, String signature, Object value) {
            present(access, name, descriptor);
            return null;
          }

          private void present(int access, String name, String descriptor) {
            if ((access & Opcodes.ACC_PUBLIC) != 0) {
              present.add(owner + "." + name + descriptor);
            }
          }
        },
        ClassReader.SKIP_CODE);
  }

  private void want(String owner, String name, String descriptor) {
    if (owner.startsWith(REPLACEMENTS)) {
      wanted.add(owner + "." + name + descriptor);
    }
  }

  /** What JNA wants and nobody declares, like {@code pkg/Type.name(I)V}. */
  Set<String> missing() {
    Set<String> missing = new TreeSet<>(wanted);
    missing.removeAll(present);
    return missing;
  }
}
