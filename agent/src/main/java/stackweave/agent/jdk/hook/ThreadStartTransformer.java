package stackweave.agent.jdk.hook;

import static net.bytebuddy.matcher.ElementMatchers.named;

import java.io.IOException;
import java.lang.instrument.ClassFileTransformer;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.ProtectionDomain;
import java.util.Arrays;
import java.util.List;
import net.bytebuddy.ClassFileVersion;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.field.FieldList;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.method.MethodList;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.TypeInitializer;
import net.bytebuddy.implementation.Implementation;
import net.bytebuddy.implementation.auxiliary.AuxiliaryType;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.pool.TypePool;
import net.bytebuddy.utility.OpenedClassReader;

/**
 * Adds {@link ThreadStartAdvice} to every {@code start} of java.lang.Thread: start(), and since JDK
 * 21 start(ThreadContainer), which executors with a thread per task use. Uses only Byte Buddy's
 * advice, on one class and its few methods: an AgentBuilder would cost three times the CPU time.
 */
final class ThreadStartTransformer implements ClassFileTransformer {
  private static final String START = "start";

  private final TypeDescription type = TypeDescription.ForLoadedType.of(Thread.class);
  private final List<MethodDescription> starts;
  private final AsmVisitorWrapper advice;
  private Throwable failure;
  private boolean applied;

  ThreadStartTransformer() throws IOException {
    starts =
        Arrays.stream(Thread.class.getDeclaredMethods())
            .filter(ThreadStartTransformer::startsAThread)
            .<MethodDescription>map(MethodDescription.ForLoadedMethod::new)
            .toList();
    String name = ThreadStartAdvice.class.getName();
    ClassFileLocator locator =
        ClassFileLocator.Simple.of(name, HookClass.renamed(ThreadStartAdvice.class));
    TypeDescription description = TypeDescription.ForLoadedType.of(ThreadStartAdvice.class);
    advice = Advice.to(description, locator).on(named(START));
  }

  private static boolean startsAThread(Method method) {
    return method.getName().equals(START) && !Modifier.isStatic(method.getModifiers());
  }

  @Override
  public byte[] transform(
      ClassLoader loader,
      String className,
      Class<?> redefined,
      ProtectionDomain domain,
      byte[] classFile) {
    if (redefined != Thread.class) {
      return null;
    }
    try {
      byte[] transformed = transform(classFile);
      applied = true;
      return transformed;
    } catch (Throwable e) {
      // The JVM would ignore the exception silently.
      failure = e;
      return null;
    }
  }

  private byte[] transform(byte[] classFile) {
    ClassReader reader = OpenedClassReader.of(classFile);
    ClassWriter writer = new ClassWriter(reader, advice.mergeWriter(0));
    int readerFlags = advice.mergeReader(0);
    ClassVisitor visitor =
        advice.wrap(
            type,
            writer,
            context(classFile),
            TypePool.Empty.INSTANCE,
            new FieldList.Empty<>(),
            new MethodList.Explicit<>(starts),
            advice.mergeWriter(0),
            readerFlags);
    reader.accept(visitor, readerFlags);
    return writer.toByteArray();
  }

  private Implementation.Context context(byte[] classFile) {
    ClassFileVersion version = ClassFileVersion.ofClassFile(classFile);
    return Implementation.Context.Disabled.Factory.INSTANCE.make(
        type,
        new AuxiliaryType.NamingStrategy.Enumerating("stackweave"),
        TypeInitializer.None.INSTANCE,
        version,
        version,
        Implementation.Context.FrameGeneration.DISABLED);
  }

  /** Whether Thread was transformed. */
  boolean applied() {
    return applied;
  }

  /** Why it was not, or null. */
  Throwable failure() {
    return failure;
  }
}
