package stackweave.lab.chaos.antagonist;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import javax.management.JMException;
import javax.management.ObjectName;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import stackweave.lab.chaos.work.Answers;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/** Generated methods, compiled early, in a code cache too small for all of them. */
final class CodeCacheFlushing implements Antagonist {
  private static final int METHODS = 30;
  private static final int STEPS = 60;
  private static final int CALLS = 3_000;
  private static final int LIST_EVERY = 20;
  private static final String DESCRIPTOR = "(J)J";

  @Override
  public String targets() {
    return "compiled code that is freed, and other code at its address, before a sample is drained";
  }

  @Override
  public List<String> counts() {
    return List.of("methods generated", "compilations", "of which freed again");
  }

  @Override
  public List<String> jvmOptions(Path directory) {
    return List.of(
        "-XX:ReservedCodeCacheSize=10m",
        "-XX:Tier3InvocationThreshold=50",
        "-XX:Tier3MinInvocationThreshold=20",
        "-XX:Tier3CompileThreshold=100",
        "-XX:Tier4InvocationThreshold=500",
        "-XX:Tier4MinInvocationThreshold=100",
        "-XX:Tier4CompileThreshold=1000");
  }

  @Override
  public void run(Time time, Tally tally) throws Exception {
    SplittableRandom random = new SplittableRandom(5);
    for (int turn = 0; !time.isOver(); turn++) {
      generated(random.nextLong(), random.nextLong());
      tally.add(0, METHODS);
      if (turn % LIST_EVERY == 0) {
        System.gc(); // unloads them sooner than it would happen by itself
        list(tally);
      }
    }
    list(tally);
  }

  /** Computes x = x * 31 + n many times, in a generated method and here, and compares. */
  private static void generated(long n, long seed) throws Exception {
    MethodHandles.Lookup hidden = MethodHandles.lookup().defineHiddenClass(classFile(n), true);
    for (int i = 0; i < METHODS; i++) {
      MethodHandle method =
          hidden.findStatic(
              hidden.lookupClass(), "m" + i, MethodType.methodType(long.class, long.class));
      long actual = seed;
      for (int call = 0; call < CALLS; call++) {
        actual = call(method, actual);
      }
      if (i == Math.floorMod(n, METHODS)) {
        long expected = seed;
        for (int step = 0; step < CALLS * STEPS; step++) {
          expected = expected * 31 + n;
        }
        Answers.same("a generated method", expected, actual);
      }
    }
  }

  private static long call(MethodHandle method, long x) throws Exception {
    try {
      return (long) method.invokeExact(x);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] classFile(long n) {
    ClassWriter type = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    String name = CodeCacheFlushing.class.getPackageName().replace('.', '/') + "/Generated";
    type.visit(Opcodes.V17, Opcodes.ACC_FINAL, name, null, "java/lang/Object", null);
    for (int i = 0; i < METHODS; i++) {
      MethodVisitor method = type.visitMethod(Opcodes.ACC_STATIC, "m" + i, DESCRIPTOR, null, null);
      method.visitCode();
      method.visitVarInsn(Opcodes.LLOAD, 0);
      for (int step = 0; step < STEPS; step++) {
        method.visitLdcInsn(31L);
        method.visitInsn(Opcodes.LMUL);
        method.visitLdcInsn(n);
        method.visitInsn(Opcodes.LADD);
      }
      method.visitInsn(Opcodes.LRETURN);
      method.visitMaxs(0, 0);
      method.visitEnd();
    }
    type.visitEnd();
    return type.toByteArray();
  }

  /**
   * Counts freed code by the list of compiled code: ids are counted up, and those that are missing
   * were freed.
   */
  private static void list(Tally tally) throws JMException {
    String list =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "compilerCodelist",
                    new Object[0],
                    new String[0]);
    long[] ids =
        list.lines()
            .map(line -> line.strip().split(" ", 2)[0])
            .filter(id -> id.matches("[0-9]+"))
            .mapToLong(Long::parseLong)
            .toArray();
    long last = java.util.Arrays.stream(ids).max().orElse(0);
    tally.set(1, last);
    tally.set(2, last - ids.length);
  }
}
