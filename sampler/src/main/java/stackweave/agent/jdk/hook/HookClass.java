package stackweave.agent.jdk.hook;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.commons.ClassRemapper;
import net.bytebuddy.jar.asm.commons.SimpleRemapper;
import stackweave.agent.jdk.JavaBase;

/**
 * Defines {@link StartedThreads} as a class of java.lang, or finds it. A class can't be removed, so
 * it stays when the agent is detached, and the next agent finds it. Stateless.
 */
public final class HookClass {
  static final String NAME = "java.lang.StackweaveStartedThreads";

  private HookClass() {}

  /**
   * Finds the class, or defines it.
   *
   * @return a lookup with access to it
   */
  static MethodHandles.Lookup enter(Instrumentation instrumentation)
      throws ReflectiveOperationException, IOException {
    JavaBase.open(instrumentation, "java.lang");
    return MethodHandles.privateLookupIn(find(), MethodHandles.lookup());
  }

  private static Class<?> find() throws ReflectiveOperationException, IOException {
    try {
      return Class.forName(NAME, true, null);
    } catch (ClassNotFoundException e) {
      return MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup())
          .defineClass(renamed(StartedThreads.class, NAME));
    }
  }

  /** The class file of a class of the agent, which has another name. */
  public static byte[] renamed(Class<?> type, String name) throws IOException {
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      if (in == null) {
        throw new IOException("the agent jar lacks " + type.getName());
      }
      SimpleRemapper remapper =
          new SimpleRemapper(Opcodes.ASM9, internal(type.getName()), internal(name));
      ClassWriter writer = new ClassWriter(0);
      new ClassReader(in.readAllBytes()).accept(new ClassRemapper(writer, remapper), 0);
      return writer.toByteArray();
    }
  }

  private static String internal(String name) {
    return name.replace('.', '/');
  }
}
