package stackweave.jfr.store;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.IntConsumer;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import stackweave.jfr.control.OwnProcess;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.ChunkBegin;
import stackweave.jfr.event.ChunkEnd;
import stackweave.jfr.event.Context;
import stackweave.jfr.event.DefinitionBlock;
import stackweave.jfr.event.EventSample;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.SettingsWatch;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.event.load.LoadEvents;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.weave.live.LiveWeave;

/**
 * Writes samples into the recording: definitions are interned to ids, and a sample is written with
 * those that its chunk lacks. The drain thread calls {@link #beginStack}, {@link #node} from the
 * thread's first frame inwards, then {@link #sample}; {@link #flush} every second; and when {@link
 * #flushRequested}, all it has, {@link #status} last, then {@link #flushDone}, for which a rotation
 * waits. For that thread, except {@link #open}, {@link #close} and JFR's hooks. Must not call
 * FlightRecorder, whose locks may be held by a waiting rotation.
 */
public final class EventStore implements AutoCloseable {
  /** How long {@link #close} waits for a thread that holds the gate. */
  private static final long CLOSE_NANOS = 1_000_000_000L;

  /** Parent of a thread's first frame. */
  public static final long ROOT = 0;

  /** Why the last samples before the JVM's end are missing. */
  static final String LATE =
      "the JVM ended before the last samples were written, for the drain thread got too little CPU"
          + " time: what is missing is not counted";

  /** More threads than these are not watched. */
  private static final int MAX_LIVE_THREADS = 1 << 16;

  private final SessionInfo info;
  private final StoreLimits limits;
  private final String uuid = uuid();
  private final long pid = OwnProcess.pid();
  private final long jvmStart = OwnProcess.startMillis();
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
  private final IntConsumer endOfChunk =
      new IntConsumer() {
        @Override
        public void accept(int chunk) {
          layout.chunkEnds(chunk);
          if (weave != null) {
            weave.chunkEnds();
            isEndWoven = true;
          }
        }
      };
  private final EventType sampleType;
  private final EventType wallType;
  private final EventType blockedType;
  private final EventType memoryType;
  private final EventType allocationType;
  private final SampleClock clock = new SampleClock();

  private final StackTables tables = new StackTables();
  private final BlockLayout layout;
  private int generation = 1;

  private int liveThreads;
  private long fullGenerations;
  private int sessionChunk;
  private volatile SamplerFigures lastStatus;
  private long staleSamples;

  /** Null if samples are not woven. */
  private volatile LiveWeave weave;

  /** Whether the hook got the gate's lock; and when it was called last. For JFR's hooks. */
  private boolean isEndWoven;

  private Instant lastEnd = Instant.MIN;

  private EventStore(SessionInfo info, StoreLimits limits) {
    this.info = info;
    this.limits = limits;
    this.sampleType = EventType.getEventType(NativeSample.class);
    this.wallType = EventType.getEventType(WallSample.class);
    this.blockedType = EventType.getEventType(Blocked.class);
    this.memoryType = EventType.getEventType(NativeMemory.class);
    this.allocationType = EventType.getEventType(NativeAllocation.class);
    this.layout = new BlockLayout(tables, clock);
  }

  /**
   * Registers the events and the hooks. Takes some 10 ms, and JFR's locks: must not be called on an
   * application thread.
   */
  public static EventStore open(SessionInfo info, StoreLimits limits) {
    loadWriter();
    // All types before the first commit: none may be registered while holding the gate's lock.
    FlightRecorder.register(Session.class);
    FlightRecorder.register(NativeSample.class);
    FlightRecorder.register(WallSample.class);
    FlightRecorder.register(Blocked.class);
    FlightRecorder.register(EventSample.class);
    FlightRecorder.register(NativeMemory.class);
    FlightRecorder.register(NativeAllocation.class);
    FlightRecorder.register(Context.class);
    FlightRecorder.register(StackSample.class);
    FlightRecorder.register(DefinitionBlock.class);
    FlightRecorder.register(SamplerStatus.class);
    FlightRecorder.register(ChunkBegin.class);
    FlightRecorder.register(ChunkEnd.class);
    StatusFields.load();
    EventStore store = new EventStore(info, limits);
    FlightRecorder.addPeriodicEvent(ChunkBegin.class, store.beginHook);
    FlightRecorder.addPeriodicEvent(ChunkEnd.class, store.endHook);
    return store;
  }

  /**
   * Weaves all samples that are written from now on, and lets {@link #chunkFinished} put them
   * behind JFR's chunks. Before the first sample, or with {@code weave} of the same JVM again.
   *
   * @param jvmMetadata the JVM's metadata, as they are in a chunk
   * @param directories where what is encoded waits for the end of its chunk
   * @throws IOException if the metadata are laid out as in no JDK that is known
   */
  public void weave(byte[] jvmMetadata, List<Path> directories) throws IOException {
    weaveBy(LiveWeave.of(jvmMetadata, new StoredStacks(tables, limits, info), directories, uuid));
  }

  /** Counts all samples that are written from now on as not woven. */
  public void weaveNone(String why) {
    weaveBy(LiveWeave.off(why));
  }

  private void weaveBy(LiveWeave weave) {
    gate.hold();
    try {
      layout.weaveBy(weave);
      this.weave = weave;
    } finally {
      gate.leave();
    }
  }

  /**
   * JFR has finished a chunk: puts its woven samples behind it. On whatever thread ended the chunk,
   * with JFR's lock; throws nothing.
   *
   * @param file the chunk's
   */
  public void chunkFinished(String file) {
    LiveWeave weave = this.weave;
    if (weave == null) {
      return;
    }
    // The gate is closed until the next chunk begins: all samples so far are of this one.
    if (!isEndWoven && gate.holdBetween()) {
      try {
        weave.endLate();
        isEndWoven = true;
      } finally {
        gate.leave();
      }
    }
    weave.finished(file);
  }

  /** Samples that were written and are not woven, where they are to be. Any thread. */
  public long unwoven() {
    LiveWeave weave = this.weave;
    return weave == null ? 0 : weave.unwoven();
  }

  /** Why samples are not woven; "" for no reason but their number. Any thread. */
  public String weaveNote() {
    LiveWeave weave = this.weave;
    return weave == null ? "" : weave.note();
  }

  /**
   * Takes the hooks away, after what a thread that drains no more has left; the event types stay
   * registered.
   */
  @Override
  public void close() {
    if (!gate.isAttached()) {
      flush();
    }
    gate.detach();
    FlightRecorder.removePeriodicEvent(beginHook);
    FlightRecorder.removePeriodicEvent(endHook);
    // A drain thread that did not end may hold the gate, before a disk that does not answer.
    if (weave != null && gate.hold(CLOSE_NANOS)) {
      try {
        weave.discard();
        weave.rest();
      } finally {
        gate.leave();
      }
    }
  }

  /** Unregisters all events from JFR, after {@link #close}; {@link #open} registers them again. */
  public static void unregisterEvents() {
    if (!FlightRecorder.isInitialized()) {
      return;
    }
    FlightRecorder.unregister(Session.class);
    FlightRecorder.unregister(NativeSample.class);
    FlightRecorder.unregister(StackSample.class);
    FlightRecorder.unregister(WallSample.class);
    FlightRecorder.unregister(Blocked.class);
    FlightRecorder.unregister(EventSample.class);
    FlightRecorder.unregister(NativeMemory.class);
    FlightRecorder.unregister(NativeAllocation.class);
    FlightRecorder.unregister(Context.class);
    FlightRecorder.unregister(DefinitionBlock.class);
    FlightRecorder.unregister(SamplerStatus.class);
    FlightRecorder.unregister(ChunkBegin.class);
    FlightRecorder.unregister(ChunkEnd.class);
    FlightRecorder.unregister(SettingsWatch.class);
    LoadEvents.unregister();
  }

  // ---- the drain thread comes and goes

  /**
   * Makes the current thread the drain thread.
   *
   * @param wakeUp makes it check {@link #flushRequested} at once; called holding JFR's monitor on
   *     any thread, so it must neither block nor throw
   */
  public void attachDrain(Runnable wakeUp) {
    gate.attach(wakeUp);
  }

  /** Removes the drain thread: rotations don't wait any more. */
  public void detachDrain() {
    flush();
    try {
      rest();
    } finally {
      gate.detach();
    }
    // No rotation waits for this thread any more, so JFR's lock may be waited for.
    if (weave != null && !isAnyOlderThan(Instant.MAX)) {
      held(weave::discard);
    }
  }

  /** Gives back what only samples need, after {@link #flush}; it comes again with the next one. */
  public void rest() {
    held(
        () -> {
          layout.rest();
          if (weave != null) {
            weave.rest();
          }
        });
  }

  /** Does something that no rotation sees half done. */
  private void held(Runnable action) {
    gate.hold();
    try {
      action.run();
    } finally {
      gate.leave();
    }
  }

  /** Whether a chunk is about to end and waits, for at most 100 ms, for {@link #flushDone}. */
  public boolean flushRequested() {
    return gate.flushRequested();
  }

  /** Everything that existed when {@link #flushRequested} became true is written. */
  public void flushDone() {
    flush();
    gate.flushDone();
  }

  /** Whether JFR writes samples now: some recording runs, and none forbids them. */
  public boolean isEnabled() {
    return sampleType.isEnabled();
  }

  /** Whether JFR writes samples of waiting threads now. */
  public boolean isWallEnabled() {
    return sampleType.isEnabled() && wallType.isEnabled();
  }

  /** Whether the JVM is ending and the last flush was requested. */
  public boolean isLastFlushed() {
    return gate.isLastFlushed();
  }

  // ---- interning

  /**
   * Begins a stack. If a limit is reached, a new generation begins, and all earlier ids are void.
   *
   * @return the generation; if it differs from the one before, the caller must forget all ids
   */
  public int beginStack() {
    if (tables.isFull(limits, liveThreads)) {
      fullGenerations++;
      newGeneration(true);
    }
    return generation;
  }

  /** So many threads live, of which all may be sampled. */
  public void expectThreads(int count) {
    liveThreads = Math.min(count, MAX_LIVE_THREADS);
  }

  /**
   * Loads what JFR would load while it writes an event: another agent that fails for each class of
   * the JDK makes events of exceptions then, which JFR (JDK 25.0.3) writes into the middle of the
   * one that it is writing, and the recording can't be read.
   */
  private static void loadWriter() {
    try {
      Class.forName("jdk.jfr.internal.Bits", true, null);
    } catch (ClassNotFoundException | LinkageError e) {
      // A JDK whose writer needs no such class.
    }
  }

  /** Removes all definitions, so that they are written again; ids continue and are never reused. */
  public void newGeneration() {
    newGeneration(false);
  }

  private void newGeneration(boolean goesOn) {
    flush();
    tables.clear(goesOn);
    if (weave != null) {
      held(weave::forgetStacks);
    }
    generation++;
  }

  /**
   * Has definitions written again as samples need them. Recordings in memory lose their oldest
   * events without a chunk ending: called every few seconds, this keeps most remaining samples
   * resolvable.
   */
  public void repeatDefinitions() {
    flush();
    gate.nextChunkNumber();
    if (weave != null) {
      held(weave::keepNewest);
    }
  }

  /** The id of a module; never 0. */
  public long module(ModuleDefinition module) {
    return tables.modules.intern(module);
  }

  /** The id of a method, symbol or stub; never 0. */
  public long method(MethodDefinition method) {
    return tables.methods.intern(method);
  }

  /**
   * The id of a frame under its caller; never 0. Allocates nothing for a known frame.
   *
   * @param parentId the caller's node, or {@link #ROOT}
   * @param methodId from {@link #method}
   * @param kindCode kind of code, 0 to 127, as in the session's legend
   * @param line source line, -1 if unknown
   * @param offset bytecode index, or distance from the function's start
   */
  public long node(long parentId, long methodId, int kindCode, int line, long offset) {
    return node(parentId, methodId, kindCode, line, offset, 0);
  }

  /**
   * The same for a frame that was found in a way of its own.
   *
   * @param foundCode how it was found from its callee, 0 to 127, as in the session's legend
   */
  public long node(
      long parentId, long methodId, int kindCode, int line, long offset, int foundCode) {
    return tables.trie.intern(parentId, methodId, kindCode, line, offset, foundCode);
  }

  /**
   * The key of a thread; never 0. Allocates nothing for a known thread.
   *
   * @param tid its id in the OS
   * @param name its name, not null
   * @param javaId java.lang.Thread's id, 0 for none
   * @param virtual whether it is a virtual thread
   * @param carrierId Java thread id of a virtual thread's carrier, 0 for none
   * @param thread the Java thread if known, or null; held weakly
   */
  public long thread(
      long tid, String name, long javaId, boolean virtual, long carrierId, Thread thread) {
    return tables.threads.intern(tid, name, javaId, virtual, carrierId, thread);
  }

  /** The id of a context; never 0. Holds as long as the ids of stacks do. */
  public long context(ContextDefinition context) {
    return tables.contexts.intern(context);
  }

  // ---- writing

  /**
   * Writes a sample and the definitions that its chunk lacks. Waits at most 2 s for a chunk
   * rotation.
   *
   * @param timeNanos time of the interrupt on the clock of System.nanoTime
   * @param threadKey from {@link #thread}
   * @param stateCode the thread's state, as in the session's legend
   * @param weightNanos CPU or wall-clock time that the sample stands for, in ns
   * @param stackId the innermost frame's node, 0 for a stack without frames
   * @param endCode why the stack ends, as in the session's legend
   * @param contextId a label of the application, 0 for none
   * @return false if it was not written: JFR records no samples, or the ids are of an older
   *     generation
   */
  public boolean sample(
      long timeNanos,
      long threadKey,
      int stateCode,
      long weightNanos,
      long stackId,
      int endCode,
      long contextId) {
    ThreadTable.Entry thread = enterable(threadKey, stackId);
    int chunk = thread == null ? 0 : enter();
    if (chunk == 0) {
      return false;
    }
    try {
      layout.sample(timeNanos, thread, stateCode, weightNanos, stackId, endCode, contextId);
    } catch (RuntimeException | Error e) {
      defineAnew();
      throw e;
    } finally {
      leave(chunk);
    }
    return true;
  }

  /**
   * Writes a sample of a thread that was not on a CPU, as {@link #sample} does. It is never woven.
   *
   * @param timeNanos time of the look that saw the stack, on the clock of System.nanoTime
   * @param threadKey from {@link #thread}
   * @param stateCode {@link ThreadState#code}, or {@link ThreadState#ofSystemCall}
   * @param weightNanos wall-clock time not on a CPU that the sample stands for, in ns
   * @param stackId the innermost frame's node, 0 for a stack without frames
   * @param endCode why the stack ends, as in the session's legend
   * @param contextId a label of the application, 0 for none
   * @return false if it was not written: JFR records no such samples, or the ids are of an older
   *     generation
   */
  public boolean wallSample(
      long timeNanos,
      long threadKey,
      int stateCode,
      long weightNanos,
      long stackId,
      int endCode,
      long contextId) {
    ThreadTable.Entry thread = wallType.isEnabled() ? enterable(threadKey, stackId) : null;
    if (thread == null) {
      return false;
    }
    WallSample event = new WallSample();
    event.sampledThread = thread.thread();
    event.threadId = thread.key;
    event.state = stateCode;
    event.weight = weightNanos;
    event.stackId = stackId;
    event.end = endCode;
    event.contextId = contextId;
    clock.stamp(event, timeNanos);
    return unwoven(event, thread, stackId);
  }

  /**
   * Writes a thread that was blocked, as {@link #sample} does. It is never woven. JFR itself leaves
   * out what is shorter than its threshold.
   *
   * @param startNanos when it left its CPU, on the clock of System.nanoTime
   * @param durationNanos time until it got a CPU again, in ns
   * @param threadKey from {@link #thread}
   * @param stateCode {@link ThreadState#code}, or {@link ThreadState#ofSystemCall}
   * @param stackId the innermost frame's node, 0 for a stack without frames
   * @param endCode why the stack ends, as in the session's legend
   * @param isOver whether it is blocked no more
   * @param wakerKey the thread of this process that woke it, 0 for none
   * @param wakerPid as in {@link Blocked#wakerPid}
   * @param wakeDelayNanos time from then until it got a CPU, in ns
   * @param contextId a label of the application, 0 for none
   * @return false if it was not written: JFR records no such events or refuses their time, or the
   *     ids are of an older generation
   */
  public boolean blocked(
      long startNanos,
      long durationNanos,
      long threadKey,
      int stateCode,
      long stackId,
      int endCode,
      boolean isOver,
      long wakerKey,
      int wakerPid,
      long wakeDelayNanos,
      long contextId) {
    ThreadTable.Entry thread = blockedType.isEnabled() ? enterable(threadKey, stackId) : null;
    if (thread == null) {
      return false;
    }
    Blocked event = new Blocked();
    event.sampledThread = thread.thread();
    event.threadId = thread.key;
    event.state = stateCode;
    event.stackId = stackId;
    event.end = endCode;
    event.over = isOver;
    event.wakerThreadId = tables.threads.get(wakerKey) == null ? 0 : wakerKey;
    event.wakerPid = wakerPid;
    event.wakeDelay = wakeDelayNanos;
    event.contextId = contextId;
    return clock.stamp(event, startNanos, durationNanos) && unwoven(event, thread, stackId);
  }

  /**
   * Writes a sample of an event, as {@link #sample} does. It is never woven.
   *
   * @param event what happened, as options and settings name it
   * @param timeNanos when, on the clock of System.nanoTime
   * @param threadKey from {@link #thread}
   * @param weight number of events that the sample stands for
   * @param stackId the innermost frame's node, 0 for a stack without frames
   * @param endCode why the stack ends, as in the session's legend
   * @param contextId a label of the application, 0 for none
   * @return false if it was not written: JFR records no samples, or the ids are of an older
   *     generation
   */
  public boolean eventSample(
      String event,
      long timeNanos,
      long threadKey,
      long weight,
      long stackId,
      int endCode,
      long contextId) {
    ThreadTable.Entry thread = enterable(threadKey, stackId);
    if (thread == null) {
      return false;
    }
    EventSample sample = new EventSample();
    sample.sampledThread = thread.thread();
    sample.threadId = thread.key;
    sample.event = event;
    sample.weight = weight;
    sample.stackId = stackId;
    sample.end = endCode;
    sample.contextId = contextId;
    clock.stamp(sample, timeNanos);
    return unwoven(sample, thread, stackId);
  }

  /**
   * Writes native memory that was touched or given back, as {@link #sample} does. It is never
   * woven.
   *
   * @param timeNanos when, on the clock of System.nanoTime
   * @param threadKey from {@link #thread}
   * @param bytes what it stands for; negative if it was given back
   * @param address of the page
   * @param stackId the innermost frame's node, 0 for a stack without frames
   * @param endCode why the stack ends, as in the session's legend
   * @param contextId a label of the application, 0 for none
   * @return false if it was not written: JFR records no such events, or the ids are of an older
   *     generation
   */
  public boolean nativeMemory(
      long timeNanos,
      long threadKey,
      long bytes,
      long address,
      long stackId,
      int endCode,
      long contextId) {
    ThreadTable.Entry thread = memoryType.isEnabled() ? enterable(threadKey, stackId) : null;
    if (thread == null) {
      return false;
    }
    NativeMemory event = new NativeMemory();
    event.sampledThread = thread.thread();
    event.threadId = thread.key;
    event.weight = bytes;
    event.address = address;
    event.stackId = stackId;
    event.end = endCode;
    event.contextId = contextId;
    clock.stamp(event, timeNanos);
    return unwoven(event, thread, stackId);
  }

  /** Writes a block that was allocated or given back, as {@link #nativeMemory} does. */
  public boolean nativeAllocation(
      long timeNanos,
      long threadKey,
      long bytes,
      long address,
      long stackId,
      int endCode,
      long contextId) {
    ThreadTable.Entry thread = allocationType.isEnabled() ? enterable(threadKey, stackId) : null;
    if (thread == null) {
      return false;
    }
    NativeAllocation event = new NativeAllocation();
    event.sampledThread = thread.thread();
    event.threadId = thread.key;
    event.weight = bytes;
    event.address = address;
    event.stackId = stackId;
    event.end = endCode;
    event.contextId = contextId;
    clock.stamp(event, timeNanos);
    return unwoven(event, thread, stackId);
  }

  private boolean unwoven(Event event, ThreadTable.Entry thread, long stackId) {
    int chunk = enter();
    if (chunk == 0) {
      return false;
    }
    try {
      layout.unwoven(event, thread, stackId);
    } catch (RuntimeException | Error e) {
      defineAnew();
      throw e;
    } finally {
      leave(chunk);
    }
    return true;
  }

  /** The thread of a sample that may be written now; null if it may not. */
  private ThreadTable.Entry enterable(long threadKey, long stackId) {
    if (!sampleType.isEnabled()) {
      return null;
    }
    ThreadTable.Entry thread = tables.threads.get(threadKey);
    if (thread == null || (stackId != 0 && tables.trie.indexOf(stackId) < 0)) {
      staleSamples++;
      return null;
    }
    clock.refresh();
    return thread;
  }

  /**
   * Writes the samples that are held back: to be called about every second, so that a crash takes
   * no more with it.
   */
  public void flush() {
    if (layout.isEmpty()) {
      return;
    }
    int chunk = enter();
    if (chunk == 0) {
      return;
    }
    try {
      layout.write();
    } catch (RuntimeException | Error e) {
      defineAnew();
      throw e;
    } finally {
      leave(chunk);
    }
  }

  /**
   * Writes the figures since the last status event.
   *
   * @param figures since the agent started
   * @return false if JFR records no samples; the next status then has the differences
   */
  public boolean status(SamplerFigures figures) {
    if (!new SamplerStatus().isEnabled()) {
      return false;
    }
    SamplerFigures last = lastStatus;
    SamplerStatus event = StatusFields.event(last == null ? figures : figures.since(last));
    int chunk = enter();
    if (chunk == 0) {
      return false;
    }
    try {
      layout.write();
      event.commit();
    } catch (RuntimeException | Error e) {
      defineAnew();
      throw e;
    } finally {
      leave(chunk);
    }
    lastStatus = figures;
    return true;
  }

  /**
   * Skips what no status event has reported so far, since no recording was running: the next status
   * starts here. Only while no drain thread is attached.
   *
   * @param figures since the agent started
   */
  public void passOver(SamplerFigures figures) {
    lastStatus = figures;
  }

  /** Returns the chunk to commit to, 0 for none; {@link #leave} has to follow else. */
  private int enter() {
    int chunk = gate.enter(recording);
    if (chunk == 0) {
      // What is woven stays: JFR disables events for a moment while it changes settings.
      held(layout::discard);
      return 0;
    }
    try {
      emitSession(chunk);
      layout.enter(chunk);
      if (weave != null) {
        weave.entered(chunk);
      }
      return chunk;
    } catch (RuntimeException | Error e) {
      defineAnew();
      gate.leave();
      throw e;
    }
  }

  /** After a failure, such as no memory: what was marked as defined may not be. */
  private void defineAnew() {
    gate.nextChunkNumber();
  }

  private void leave(int chunk) {
    try {
      layout.leave(gate.isTorn(chunk));
    } finally {
      gate.leave();
    }
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
    event.foundLegend = info.foundLegend();
    event.guesses = info.guesses();
    event.commit();
  }

  // ---- counters

  /** Samples refused because their ids were of an older generation. */
  public long staleSamples() {
    return staleSamples;
  }

  /** How often a generation ended because a limit was reached. */
  public long fullGenerations() {
    return fullGenerations;
  }

  /** How often samples were written although JFR had not reported the new chunk. */
  public long forcedOpenings() {
    return gate.forcedOpenings();
  }

  /** How many rotations did not wait until the drain thread had written everything. */
  public long lateFlushes() {
    return gate.lateFlushes();
  }

  /**
   * How many chunks may lack definitions, since the drain thread was not scheduled at their end.
   */
  public long missedEnds() {
    return gate.missedEnds();
  }

  /** Frames in the tree of the current generation. */
  public int nodes() {
    return tables.trie.count();
  }

  /** A random UUID from the kernel: the JDK's SecureRandom would keep its devices open for ever. */
  private static String uuid() {
    // Not by java.nio, whose buffers count against -XX:MaxDirectMemorySize.
    try (InputStream in = new FileInputStream("/proc/sys/kernel/random/uuid")) {
      return new String(in.readNBytes(64), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      // Without /proc/sys, as with systemd's ProcSubset=pid. It only has to be unlikely to repeat.
      SplittableRandom random = new SplittableRandom(System.nanoTime() ^ OwnProcess.pid() << 32);
      return new UUID(random.nextLong(), random.nextLong()).toString();
    }
  }

  void beforeRotation() {
    LiveWeave weave = this.weave;
    isEndWoven = false;
    boolean flushed = gate.chunkEnds(endOfChunk);
    if (weave != null) {
      lastEnd = Instant.now();
      if (!isEndWoven) {
        weave.endMissed();
      }
    }
    if (!flushed && gate.isLastFlushed()) {
      reportLoss();
    }
  }

  /**
   * Reports on the thread that ends the last chunk that the drain thread did not finish. Counts
   * nothing, as the counts belong to the drain thread.
   */
  private void reportLoss() {
    SamplerFigures last = lastStatus;
    if (last == null || !new SamplerStatus().isEnabled()) {
      return; // nothing to lose: sampling had not begun, which StartWatch says
    }
    String note = last.note().isEmpty() ? LATE : LATE + "; " + last.note();
    StatusFields.event(last.since(last).with(note)).commit();
  }

  void afterRotation() {
    LiveWeave weave = this.weave;
    if (weave != null && weave.isWaiting() && !isAnyOlderThan(lastEnd)) {
      // Recordings in memory ended, and JFR wrote them where no hook is.
      weave.dropWaiting();
    }
    gate.chunkBegins();
  }

  private static boolean isAnyOlderThan(Instant end) {
    for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
      if (recording.getState() == RecordingState.RUNNING
          && recording.getStartTime().isBefore(end)) {
        return true;
      }
    }
    return false;
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
