package stackweave.agent.jdk.hook;

import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;

/**
 * Computes the stack map frames of changed methods; those of others are copied. No class is loaded
 * for it: in none of the methods that are changed does a common superclass matter.
 */
final class FramesWriter extends ClassWriter {
  FramesWriter(ClassReader reader) {
    super(reader, ClassWriter.COMPUTE_FRAMES);
  }

  @Override
  protected String getCommonSuperClass(String one, String other) {
    return "java/lang/Object";
  }
}
