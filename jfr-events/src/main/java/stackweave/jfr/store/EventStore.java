package stackweave.jfr.store;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.UUID;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import stackweave.jfr.event.ChunkBegin;
import stackweave.jfr.event.ChunkEnd;
import stackweave.jfr.event.Frame;
import stackweave.jfr.event.Method;
import stackweave.jfr.event.NativeLibrary;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SampledThread;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.SettingsWatch;
import stackweave.jfr.status.SamplerFigures;

/**
 * The way of stacks into the recording: definitions are interned to ids, and a sample is written
 * with those of its definitions that its chunk does not hold yet.
 *
 * <p>The drain thread's loop: {@link #beginStack}, then {@link #node} from the thread's first frame
 * inwards, then {@link #sample} with the last node. When {@link #flushRequested}, it writes all it
 * has, its {@link #status} last, and says {@link #flushDone}: a rotation waits for that.
 *
 * <p>Belongs to the drain thread, but for {@link #open} and {@link #close}; JFR's hooks meet it in
 * {@link ChunkGate}. It calls no method of FlightRecorder between those two.
 */
public final class EventStore implements AutoCloseable {
  /** Parent of a thread's first frame. */
  public static final long ROOT = 0;

  /** Why the last samples before the JVM's end are missing. */
  static final String LATE =
      "the JVM ended before the last samples were written, for the drain thread got too little CPU"
          + " time: what is missing is not counted";

  private final SessionInfo info;
  private final StoreLimits limits;
  private final String uuid = uuid();
  private final long pid = ProcessHandle.current().pid();
  private final long jvmStart = jvmStartMillis();
  private final String jdk =
      System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version");

  private final ChunkGate gate = new ChunkGate();
  private final ChunkGate.Recording recording =
      new ChunkGate.Recording() {
        @Override
        public boolean isEnabled() {
          return sampleType.isEnabled();
        }
      };
  private final Runnable beginHook = new BeginHook();
  private final Runnable endHook = new EndHook();
  private final EventType sampleType;
  private final SampleClock clock = new SampleClock();

  private final StackTrie trie = new StackTrie(1);
  private final Definitions<MethodDefinition> methods = new Definitions<>();
  private final Definitions<ModuleDefinition> modules = new Definitions<>();
  private final ThreadTable threads = new ThreadTable();
  private int generation = 1;
  private long fullGenerations;
  private int sessionChunk;
  private volatile SamplerFigures lastStatus;
  private long staleSamples;

  /** The last sample if its commit was torn by a rotation: stack and thread to write once more. */
  private boolean torn;

  private long tornStack;
  private long tornThread;

  private EventStore(SessionInfo info, StoreLimits limits) {
    this.info = info;
    this.limits = limits;
    this.sampleType = EventType.getEventType(NativeSample.class);
  }

  /**
   * Registers the events and the hooks. Takes some 10 ms, and locks of JFR: not to be called on an
   * application thread.
   */
  public static EventStore open(SessionInfo info, StoreLimits limits) {
    // All types before the first commit: none may be registered inside the gate.
    FlightRecorder.register(Session.class);
    FlightRecorder.register(NativeSample.class);
    FlightRecorder.register(Frame.class);
    FlightRecorder.register(Method.class);
    FlightRecorder.register(SampledThread.class);
    FlightRecorder.register(NativeLibrary.class);
    FlightRecorder.register(SamplerStatus.class);
    FlightRecorder.register(ChunkBegin.class);
    FlightRecorder.register(ChunkEnd.class);
    StatusFields.load();
    EventStore store = new EventStore(info, limits);
    FlightRecorder.addPeriodicEvent(ChunkBegin.class, store.beginHook);
    FlightRecorder.addPeriodicEvent(ChunkEnd.class, store.endHook);
    return store;
  }

  /** Takes the hooks away; the event types stay registered. */
  @Override
  public void close() {
    gate.detach();
    FlightRecorder.removePeriodicEvent(beginHook);
    FlightRecorder.removePeriodicEvent(endHook);
  }

  /**
   * Has JFR forget all events, after {@link #close}: as if there had never been an agent. {@link
   * #open} registers them again.
   */
  public static void unregisterEvents() {
    if (!FlightRecorder.isInitialized()) {
      return;
    }
    FlightRecorder.unregister(Session.class);
    FlightRecorder.unregister(NativeSample.class);
    FlightRecorder.unregister(Frame.class);
    FlightRecorder.unregister(Method.class);
    FlightRecorder.unregister(SampledThread.class);
    FlightRecorder.unregister(NativeLibrary.class);
    FlightRecorder.unregister(SamplerStatus.class);
    FlightRecorder.unregister(ChunkBegin.class);
    FlightRecorder.unregister(ChunkEnd.class);
    FlightRecorder.unregister(SettingsWatch.class);
  }

  // ---- the drain thread comes and goes

  /**
   * The current thread is the drain thread from now on.
   *
   * @param wakeUp makes it look at {@link #flushRequested} at once; called under JFR's monitor on
   *     any thread, so it must neither block nor throw
   */
  public void attachDrain(Runnable wakeUp) {
    gate.attach(wakeUp);
  }

  /** No thread drains any more: rotations wait for nobody. */
  public void detachDrain() {
    gate.detach();
  }

  /** Whether a chunk is about to end and waits, for at most 100 ms, for {@link #flushDone}. */
  public boolean flushRequested() {
    return gate.flushRequested();
  }

  /** All that was there when {@link #flushRequested} became true is written. */
  public void flushDone() {
    gate.flushDone();
  }

  /** Whether JFR writes samples now: some recording runs, and none forbids them. */
  public boolean isEnabled() {
    return sampleType.isEnabled();
  }

  /** Whether the JVM is about to end, and all that recordings get has been asked for. */
  public boolean isLastFlushed() {
    return gate.isLastFlushed();
  }

  // ---- interning

  /**
   * Begins a stack. Where the limits are met, a new generation begins here: every id given before
   * is void then.
   *
   * @return the generation; when it differs from the one before, forget all ids
   */
  public int beginStack() {
    if (trie.count() >= limits.nodes()
        || methods.count() >= limits.methods()
        || modules.count() >= limits.modules()
        || threads.count() >= limits.threads()) {
      fullGenerations++;
      newGeneration();
    }
    return generation;
  }

  /** Forgets everything, so that all is written again: ids go on, none is used twice. */
  public void newGeneration() {
    trie.clear();
    methods.clear();
    modules.clear();
    threads.clear();
    generation++;
  }

  /**
   * Has all definitions written again as samples need them. Recordings kept in memory only lose
   * their oldest events without a chunk ending: called every few seconds, this keeps most of what
   * is left explained.
   */
  public void repeatDefinitions() {
    gate.nextChunkNumber();
  }

  /** The id of a module; never 0. */
  public long module(ModuleDefinition module) {
    return modules.intern(module);
  }

  /** The id of a method, symbol or stub; never 0. */
  public long method(MethodDefinition method) {
    return methods.intern(method);
  }

  /**
   * The id of a frame under its caller; never 0. Allocates nothing for a frame met before.
   *
   * @param parentId the caller's node, or {@link #ROOT}
   * @param methodId from {@link #method}
   * @param kindCode what sort of code it is, 0 to 127, as in the session's legend
   * @param line source line, -1 where unknown
   * @param offset bytecode index, or distance from the function's start
   */
  public long node(long parentId, long methodId, int kindCode, int line, long offset) {
    return trie.intern(parentId, methodId, kindCode, line, offset);
  }

  /**
   * The key of a thread; never 0. Allocates nothing for a thread met before.
   *
   * @param tid the id that the OS knows it by
   * @param name its name, not null
   * @param javaId java.lang.Thread's id, 0 for none
   * @param virtual whether it is a virtual thread
   * @param carrierId Java thread id of a virtual thread's carrier, 0 for none
   * @param thread the Java thread where it is known, or null; held weakly
   */
  public long thread(
      long tid, String name, long javaId, boolean virtual, long carrierId, Thread thread) {
    return threads.intern(tid, name, javaId, virtual, carrierId, thread);
  }

  // ---- writing

  /**
   * Writes a sample and whatever its chunk needs to explain it. While chunks are rotated it waits,
   * for at most 2 s.
   *
   * @param timeNanos time of the interrupt on the clock of System.nanoTime
   * @param threadKey from {@link #thread}
   * @param stateCode what the thread did, as in the session's legend
   * @param weightNanos CPU or wall-clock time that the sample stands for
   * @param stackId the innermost frame's node, 0 for a stack without frames
   * @param endCode why the stack ends, as in the session's legend
   * @param contextId a label of the application, 0 for none
   * @return false if it was not written: JFR records no samples, or ids of an older generation
   */
  public boolean sample(
      long timeNanos,
      long threadKey,
      int stateCode,
      long weightNanos,
      long stackId,
      int endCode,
      long contextId) {
    NativeSample event = new NativeSample();
    if (!event.isEnabled()) {
      return false;
    }
    ThreadTable.Entry thread = threads.get(threadKey);
    if (thread == null || (stackId != 0 && trie.indexOf(stackId) < 0)) {
      staleSamples++;
      return false;
    }
    event.sampledThread = thread.thread();
    event.threadId = threadKey;
    event.state = stateCode;
    event.weight = weightNanos;
    event.stackId = stackId;
    event.end = endCode;
    event.contextId = contextId;
    clock.refresh();
    int chunk = gate.enter(recording);
    if (chunk == 0) {
      return false;
    }
    try {
      beginCommit(chunk);
      emitThread(thread, chunk);
      emitStack(stackId, chunk);
      clock.stamp(event, timeNanos);
      event.commit();
      torn = gate.isTorn(chunk);
      tornStack = stackId;
      tornThread = threadKey;
    } finally {
      gate.leave();
    }
    return true;
  }

  /**
   * Writes how sampling went since the status written last.
   *
   * @param figures since the agent began
   * @return false if JFR records no samples; the differences are then in the next one
   */
  public boolean status(SamplerFigures figures) {
    if (!new SamplerStatus().isEnabled()) {
      return false;
    }
    SamplerFigures last = lastStatus;
    SamplerStatus event = StatusFields.event(last == null ? figures : figures.since(last));
    int chunk = gate.enter(recording);
    if (chunk == 0) {
      return false;
    }
    try {
      beginCommit(chunk);
      event.commit();
    } finally {
      gate.leave();
    }
    lastStatus = figures;
    return true;
  }

  /**
   * What no status has said by now is of no recording's time: the next status begins here. While no
   * drain thread is attached.
   *
   * @param figures since the agent began
   */
  public void passOver(SamplerFigures figures) {
    lastStatus = figures;
  }

  private void beginCommit(int chunk) {
    emitSession(chunk);
    if (torn) {
      torn = false;
      ThreadTable.Entry thread = threads.get(tornThread);
      if (thread != null) {
        emitThread(thread, chunk);
      }
      emitStack(tornStack, chunk);
    }
  }

  /** Up to the first ancestor that the chunk holds: it holds that one's ancestors too. */
  private void emitStack(long stackId, int chunk) {
    long id = stackId;
    while (id != ROOT) {
      int index = trie.indexOf(id);
      if (index < 0 || trie.emitted(index) == chunk) {
        return;
      }
      trie.setEmitted(index, chunk);
      emitMethod(trie.method(index), chunk);
      Frame event = new Frame();
      event.id = id;
      event.parentId = trie.parent(index);
      event.methodId = trie.method(index);
      event.kind = trie.kind(index);
      event.line = Math.max(0, trie.line(index));
      event.offset = trie.offset(index);
      event.commit();
      id = trie.parent(index);
    }
  }

  private void emitMethod(long id, int chunk) {
    int index = methods.indexOf(id);
    if (index < 0 || !methods.claim(index, chunk)) {
      return;
    }
    MethodDefinition method = methods.at(index);
    emitModule(method.moduleId(), chunk);
    Method event = new Method();
    event.id = id;
    event.moduleId = method.moduleId();
    event.className = method.className();
    event.name = method.name();
    event.descriptor = method.descriptor();
    event.modifiers = method.modifiers();
    event.sourceFile = method.sourceFile();
    event.start = method.start();
    event.commit();
  }

  private void emitModule(long id, int chunk) {
    int index = modules.indexOf(id);
    if (index < 0 || !modules.claim(index, chunk)) {
      return;
    }
    ModuleDefinition module = modules.at(index);
    NativeLibrary event = new NativeLibrary();
    event.moduleId = id;
    event.path = module.path();
    event.buildId = module.buildId();
    event.start = module.start();
    event.end = module.end();
    event.unwindSource = module.unwindSource();
    event.unwindReason = module.unwindReason();
    event.functions = module.functions();
    event.symbolsFrom = module.symbolsFrom();
    event.commit();
  }

  private void emitThread(ThreadTable.Entry thread, int chunk) {
    if (thread.emitted == chunk) {
      return;
    }
    thread.emitted = chunk;
    if (thread.carrier != null) {
      emitThread(thread.carrier, chunk);
    }
    SampledThread event = new SampledThread();
    event.threadId = thread.key;
    event.osThreadId = thread.tid;
    event.name = thread.name;
    event.javaId = thread.javaId;
    event.virtual = thread.virtual;
    event.carrierId = thread.carrierId;
    event.commit();
  }

  private void emitSession(int chunk) {
    if (sessionChunk == chunk) {
      return;
    }
    sessionChunk = chunk;
    Session event = new Session();
    event.uuid = uuid;
    event.pid = pid;
    event.jvmStart = jvmStart;
    event.schemaVersion = Session.SCHEMA_VERSION;
    event.jdk = jdk;
    event.abi = info.abi();
    event.agentVersion = info.agentVersion();
    event.kindLegend = info.kindLegend();
    event.endLegend = info.endLegend();
    event.completeEnds = info.completeEnds();
    event.stateLegend = info.stateLegend();
    event.commit();
  }

  // ---- counters

  /**
   * Samples refused because their ids were of an older generation: the caller kept them too long.
   */
  public long staleSamples() {
    return staleSamples;
  }

  /** How often a generation ended because a limit was met. */
  public long fullGenerations() {
    return fullGenerations;
  }

  /** How often JFR did not say that a chunk had begun, and samples were written all the same. */
  public long forcedOpenings() {
    return gate.forcedOpenings();
  }

  /** How many rotations went on before the drain thread had written all it had. */
  public long lateFlushes() {
    return gate.lateFlushes();
  }

  /** Frames in the tree of the current generation. */
  public int nodes() {
    return trie.count();
  }

  /** The kernel's: the JDK's SecureRandom would keep its devices open ever after. */
  private static String uuid() {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream("/proc/sys/kernel/random/uuid")) {
      return new String(in.readNBytes(64), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      // Without /proc/sys, as with systemd's ProcSubset=pid. It need only not be met by accident.
      SplittableRandom random =
          new SplittableRandom(System.nanoTime() ^ ProcessHandle.current().pid() << 32);
      return new UUID(random.nextLong(), random.nextLong()).toString();
    }
  }

  private static long jvmStartMillis() {
    return ProcessHandle.current().info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }

  void beforeRotation() {
    boolean flushed = gate.chunkEnds();
    if (!flushed && gate.isLastFlushed()) {
      stateLoss();
    }
  }

  /**
   * On the thread that ends the last chunk, for the drain thread has not come to it: nothing is
   * counted here, for the counts are that thread's.
   */
  private void stateLoss() {
    SamplerFigures last = lastStatus;
    if (last == null || !new SamplerStatus().isEnabled()) {
      return; // nothing to lose: sampling had not begun, which StartWatch says
    }
    String note = last.note().isEmpty() ? LATE : LATE + "; " + last.note();
    StatusFields.event(last.since(last).with(note)).commit();
  }

  void afterRotation() {
    gate.chunkBegins();
  }

  private final class BeginHook implements Runnable {
    @Override
    public void run() {
      afterRotation();
    }
  }

  private final class EndHook implements Runnable {
    @Override
    public void run() {
      beforeRotation();
    }
  }
}
