package stackweave.lab.chaos.antagonist;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * Another agent that changes the bytecode of the load's classes and of java.lang.Thread again and
 * again, while their methods run.
 */
final class Redefinitions implements Antagonist {
  /** The JDK's classes that the load and a profiler need most. */
  private static final List<Class<?>> OF_JDK =
      List.of(Thread.class, HashMap.class, ArrayList.class, ConcurrentHashMap.class);

  private static final List<String> LOAD = List.of("stackweave.samples.", "stackweave.lab.phases.");

  /** Different numbers of instructions, so that no version is like the one before. */
  private static final int VERSIONS = 4;

  @Override
  public String targets() {
    return "methods that are replaced while they run, those of java.lang.Thread among them, which"
        + " the agent changes, too";
  }

  @Override
  public List<String> counts() {
    return List.of("classes redefined", "threads run by a redefined Thread");
  }

  @Override
  public List<String> jvmOptions(Path directory) throws IOException {
    Path jar = directory.resolve("redefining-agent.jar");
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    // The class itself is on the class path.
    attributes.put(new Attributes.Name("Premain-Class"), RedefiningAgent.class.getName());
    attributes.put(new Attributes.Name("Can-Retransform-Classes"), "true");
    attributes.put(new Attributes.Name("Can-Redefine-Classes"), "true");
    try (OutputStream out = Files.newOutputStream(jar)) {
      new JarOutputStream(out, manifest).close();
    }
    return List.of("-javaagent:" + jar);
  }

  @Override
  public void run(Time time, Tally tally) throws Exception {
    Instrumentation instrumentation = RedefiningAgent.instrumentation();
    Padding padding = new Padding();
    instrumentation.addTransformer(padding, true);
    while (!time.isOver()) {
      List<Class<?>> classes = ofLoad(instrumentation);
      classes.addAll(OF_JDK);
      for (Class<?> type : classes) {
        padding.version = (padding.version + 1) % VERSIONS;
        retransform(instrumentation, type);
        tally.one(0);
        if (time.isOver()) {
          break;
        }
      }
      runThread();
      tally.one(1);
    }
    instrumentation.removeTransformer(padding);
    for (Class<?> type : OF_JDK) {
      retransform(instrumentation, type); // changes of other agents stay
    }
  }

  private static void retransform(Instrumentation instrumentation, Class<?> type)
      throws UnmodifiableClassException {
    instrumentation.retransformClasses(type);
  }

  private static List<Class<?>> ofLoad(Instrumentation instrumentation) {
    List<Class<?>> classes = new ArrayList<>();
    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
      String name = type.getName();
      if (LOAD.stream().anyMatch(name::startsWith) && instrumentation.isModifiableClass(type)) {
        classes.add(type);
      }
    }
    return classes;
  }

  private static void runThread() throws InterruptedException {
    long[] result = new long[1];
    Thread thread = new Thread(() -> result[0] = Answers.mixed(7, 1_000));
    thread.start();
    thread.join();
    Answers.same("a thread", Answers.mixed(7, 1_000), result[0]);
  }

  /** Puts instructions that do nothing at the start of each method. */
  private static final class Padding implements ClassFileTransformer {
    volatile int version;

    @Override
    public byte[] transform(
        ClassLoader loader,
        String name,
        Class<?> redefined,
        ProtectionDomain domain,
        byte[] classFile) {
      if (redefined == null) {
        return null; // loaded for the first time
      }
      ClassReader reader = new ClassReader(classFile);
      ClassWriter writer = new ClassWriter(reader, 0);
      reader.accept(new Padded(writer, version), 0);
      return writer.toByteArray();
    }
  }

  private static final class Padded extends ClassVisitor {
    private final int nops;

    Padded(ClassWriter writer, int nops) {
      super(Opcodes.ASM9, writer);
      this.nops = nops;
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
      return new MethodVisitor(Opcodes.ASM9, method) {
        @Override
        public void visitCode() {
          super.visitCode();
          for (int i = 0; i < nops; i++) {
            visitInsn(Opcodes.NOP);
          }
        }
      };
    }
  }
}
