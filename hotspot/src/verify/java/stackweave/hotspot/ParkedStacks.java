package stackweave.hotspot;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Parks threads in known stacks and compares what the unwinder sees with {@link
 * Thread#getStackTrace}: same methods, lines and order; with {@link StackWalker}: descriptors and
 * bytecode indices too; and with the JVM's own list of compiled methods: which frames are compiled,
 * by which compiler, and whether entered in a loop. Runs on any JDK as a program of its own, with
 * -XX:+ShowHiddenFrames so that no frame is left out, and with a log of compilations whose path is
 * its argument: prints a line per stack, exits with 1 if one differs. With a second argument the
 * threads are virtual ones, pinned to the only carrier, whose own frames are compared too.
 */
public final class ParkedStacks {
  private static final String BOUNDARY = "[virtual thread]";
  private static final int MAX_COMM_BYTES = 15;
  private static final String GATE = Gate.class.getName() + ".await";

  private final ProcessMemory memory = new ProcessMemory();
  private final RuleTable rules = new RuleTable(Architecture.X86_64);
  private final ProcessModules modules = new ProcessModules(rules, memory);
  private final HotSpotMethods methods = new HotSpotMethods();
  private final HotSpot hotspot = HotSpot.open(modules.libjvm(), memory);
  private final MixedUnwinder unwinder =
      new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
  private final FrameBuffer frames = new FrameBuffer(4096);

  private final Path log;

  /** Null where the threads are platform threads. */
  private final VirtualStarter virtual;

  private int started;

  private ParkedStacks(Path log, VirtualStarter virtual) throws Exception {
    this.log = log;
    this.virtual = virtual;
  }

  public static void main(String[] args) throws Exception {
    ParkedStacks stacks =
        new ParkedStacks(Path.of(args[0]), args.length > 1 ? new VirtualStarter() : null);
    boolean same = true;
    for (Map.Entry<String, ParkedBodies.Body> entry : ParkedBodies.bodies().entrySet()) {
      same &= stacks.check(entry.getKey(), entry.getValue());
    }
    System.exit(same ? 0 : 1);
  }

  private boolean check(String name, ParkedBodies.Body body) throws Exception {
    Gate gate = new Gate();
    gate.closed = true;
    Throwable[] failure = new Throwable[1];
    Thread thread =
        start(
            () -> {
              try {
                body.run(gate);
              } catch (Throwable t) {
                failure[0] = t;
                gate.reached.countDown();
              }
            });
    gate.reached.await();
    if (failure[0] != null) {
      throw new IllegalStateException(name, failure[0]);
    }
    int tid = tidOf(virtual == null ? thread : virtual.carrier());
    modules.refresh();
    unwinder.unwind(parkedSnapshot(thread, tid), modules, frames);
    List<String> wrong = new ArrayList<>();
    List<String> expected = getStackTrace(thread);
    if (virtual != null) {
      expected.add(BOUNDARY);
      expected.addAll(getStackTrace(virtual.carrier()));
    }
    compare("getStackTrace", expected, linesSeen(), wrong);
    compare("StackWalker", gate.callers(), gate.callers().isEmpty() ? List.of() : seen(), wrong);
    checkKinds(name, wrong);
    if (!frames.end().isComplete()) {
      wrong.add("end: " + frames.end());
    }
    System.out.println(
        (wrong.isEmpty() ? "PASS " : "FAIL ") + name + ": " + linesSeen().size() + " Java frames");
    if (!wrong.isEmpty()) {
      wrong.forEach(line -> System.out.println("  " + line));
      print();
    }
    gate.open(thread);
    thread.join();
    return wrong.isEmpty();
  }

  private Thread start(Runnable task) throws ReflectiveOperationException {
    if (virtual != null) {
      return virtual.start(task);
    }
    // One just ended may still be listed under its name.
    Thread thread = new Thread(task, "parked-" + ++started);
    thread.start();
    return thread;
  }

  private static void compare(
      String source, List<String> expected, List<String> seen, List<String> wrong) {
    if (!expected.equals(seen)) {
      wrong.add(source + " says " + String.join("\n           ", expected));
      wrong.add("seen      " + String.join("\n           ", seen));
    }
  }

  /** Each frame's kind against the JVM's list of compiled methods. */
  private void checkKinds(String name, List<String> wrong) throws Exception {
    CompiledCode code = CompiledCode.now(log);
    EnumSet<FrameKind> own = EnumSet.noneOf(FrameKind.class);
    for (int i = 0; i < frames.count(); i++) {
      if (isJava(i)) {
        HotSpotMethod method = methods.get(frames.method(i));
        CompiledCode.Method compiled = code.at(frames.pc(i));
        if (!isRight(frames.kind(i), i, method, compiled)) {
          wrong.add("frame " + i + " is " + frames.kind(i) + "; the JVM's list: " + compiled);
        }
        if (method.className().startsWith(ParkedBodies.class.getName())) {
          own.add(frames.kind(i));
        }
      }
    }
    if (!System.getProperty("java.vm.info").contains("interpreted")) {
      checkCompiled(name, own, wrong);
    }
  }

  private boolean isRight(
      FrameKind kind, int i, HotSpotMethod method, CompiledCode.Method compiled) {
    if (kind == FrameKind.INLINED) {
      return compiled != null && i + 1 < frames.count() && frames.pc(i + 1) == frames.pc(i);
    }
    if (compiled == null) {
      boolean isNative = Modifier.isNative(method.modifiers());
      return kind == (isNative ? FrameKind.NATIVE_METHOD : FrameKind.INTERPRETED);
    }
    return kind == compiled.kind()
        && compiled.name().equals(method.className() + "." + method.name());
  }

  /** A stack that is to be compiled is: else nothing of it would be tested. */
  private static void checkCompiled(String name, EnumSet<FrameKind> own, List<String> wrong) {
    boolean osr = own.contains(FrameKind.C1_OSR) || own.contains(FrameKind.C2_OSR);
    boolean compiled = own.contains(FrameKind.C1) || own.contains(FrameKind.C2);
    boolean inlined = own.contains(FrameKind.INLINED);
    if (name.startsWith("osr") && !osr
        || name.startsWith("compiled") && !compiled
        || name.contains("inline") && !inlined) {
      wrong.add("compiled otherwise than meant: " + own);
    }
  }

  private StackSnapshot parkedSnapshot(Thread thread, int tid) throws Exception {
    while (true) {
      switch (thread.getState()) {
        case WAITING, TIMED_WAITING, BLOCKED -> {
          try {
            return ParkedThread.snapshot(tid, memory);
          } catch (IllegalStateException e) {
            // On its way into the system call.
          }
        }
        default -> {}
      }
      Thread.sleep(1);
    }
  }

  private int tidOf(Thread thread) throws Exception {
    List<String> comms = comms(thread.getName());
    while (true) {
      for (JavaThreads.JavaThread candidate : hotspot.threads().all()) {
        if (comms.contains(comm(candidate.osThreadId()))) {
          return candidate.osThreadId();
        }
      }
      Thread.sleep(1);
    }
  }

  /** What the kernel may call a thread: cut off, or since JDK 26 without its middle. */
  private static List<String> comms(String name) {
    int length = name.length();
    return length <= MAX_COMM_BYTES
        ? List.of(name)
        : List.of(
            name.substring(0, MAX_COMM_BYTES),
            name.substring(0, 7) + ".." + name.substring(length - 6));
  }

  private static List<String> getStackTrace(Thread thread) {
    List<String> expected = new ArrayList<>();
    for (StackTraceElement e : thread.getStackTrace()) {
      expected.add(
          e.getClassName() + "." + e.getMethodName() + ":" + Math.max(-1, e.getLineNumber()));
    }
    return expected;
  }

  private boolean isJava(int i) {
    return frames.method(i) != FrameBuffer.NO_METHOD && !methods.get(frames.method(i)).isStub();
  }

  private List<String> linesSeen() {
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < frames.count(); i++) {
      if (frames.kind(i) == FrameKind.CONTINUATION) {
        seen.add(methods.get(frames.method(i)).name());
      } else if (isJava(i)) {
        HotSpotMethod method = methods.get(frames.method(i));
        seen.add(method.className() + "." + method.name() + ":" + frames.line(i));
      }
    }
    return seen;
  }

  /** The thread's frames outside of {@link Gate#await}, as {@link Gate#callers} has them. */
  private List<String> seen() {
    List<String> seen = new ArrayList<>();
    boolean outside = false;
    for (int i = 0; i < frames.count() && !isOutermostOfVirtual(i); i++) {
      if (isJava(i)) {
        HotSpotMethod m = methods.get(frames.method(i));
        if (outside) {
          seen.add(
              Gate.text(m.className(), m.name(), m.descriptor(), frames.line(i), frames.bci(i)));
        }
        outside |= (m.className() + "." + m.name()).equals(GATE);
      }
    }
    return seen;
  }

  /** enterSpecial, which StackWalker leaves out. */
  private boolean isOutermostOfVirtual(int i) {
    return i + 1 < frames.count() && frames.kind(i + 1) == FrameKind.CONTINUATION;
  }

  private void print() {
    for (int i = 0; i < frames.count(); i++) {
      int m = frames.method(i);
      System.out.printf(
          "    %-13s %x %s%n", frames.kind(i), frames.pc(i), m < 0 ? "" : methods.get(m));
    }
  }

  private static String comm(int tid) {
    try {
      return Files.readString(Path.of("/proc/self/task/" + tid + "/comm")).trim();
    } catch (IOException e) {
      return "";
    }
  }
}
