package stackweave.jfr.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import jdk.jfr.FlightRecorder;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.process.StartFacts;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.output.EventOutput;
import stackweave.jfr.store.output.FileOutput;
import stackweave.jfr.store.output.JfrOutput;
import stackweave.jfr.store.output.StoreEvents;
import stackweave.jfr.weave.LiveWeave;

/**
 * Writes samples into the recording: definitions are interned to ids, and a sample is written with
 * those that its chunk lacks. The drain thread calls {@link #beginStack}, {@link #node} from the
 * thread's first frame inwards, then {@link #write}; {@link #flush} every second; and when {@link
 * #flushRequested}, all it has, {@link #status} last, then {@link #flushDone}, for which a rotation
 * waits. For that thread, except {@link #open}, {@link #close} and JFR's hooks. Must not call
 * FlightRecorder, whose locks may be held by a waiting rotation.
 */
public final class EventStore implements AutoCloseable {
  /** How long {@link #close} waits for a thread that holds the gate. */
  private static final long CLOSE_NANOS = 1_000_000_000L;

  /** How long {@link #goOnIn} waits for samples that are not decoded yet. */
  private static final long NEXT_FILE_NANOS = 5_000_000_000L;

  /** Parent of a thread's first frame. */
  public static final long ROOT = 0;

  /** Why the last samples before the JVM's end are missing. */
  static final String LATE =
      "the JVM ended before the last samples were written, for the drain thread got too little CPU"
          + " time: what is missing is not counted";

  /** The number of watched threads is cut at this. */
  private static final int MAX_LIVE_THREADS = 1 << 16;

  private final SessionInfo info;
  private final SessionWriter session;
  private final StoreLimits limits;

  private final ChunkGate gate = new ChunkGate();
  private final EventOutput output;
  private final BooleanSupplier enabled;
  private final StackTables tables = new StackTables();

  /** Null unless samples go to a file: for those who watch that. */
  private final HottestMethod hottest;

  private final BlockLayout layout;
  private final ChunkHooks hooks;
  private int generation = 1;

  private int liveThreads;
  private long fullGenerations;
  private volatile SamplerFigures lastStatus;

  private EventStore(
      SessionWriter session, SessionInfo info, StoreLimits limits, EventOutput output) {
    this.info = info;
    this.session = session;
    this.limits = limits;
    this.output = output;
    this.enabled = output::isRecorded;
    this.hottest = output instanceof FileOutput ? new HottestMethod(tables) : null;
    this.layout = new BlockLayout(tables, output);
    this.hooks = new ChunkHooks(gate, layout, this::reportLoss);
  }

  /**
   * Registers the events and the hooks. Takes some 10 ms, and JFR's locks: must not be called on an
   * application thread.
   */
  public static EventStore open(SessionInfo info, StoreLimits limits) {
    StoreEvents.register();
    StatusFields.load();
    SessionWriter session = new SessionWriter(info);
    EventStore store = new EventStore(session, info, limits, new JfrOutput());
    store.hooks.add();
    return store;
  }

  /**
   * Writes into a file instead, without a recording of this JVM.
   *
   * @param file closed with the store
   * @param process the one that is sampled
   * @param jdk name and version of its JVM; empty until {@link #nameJvm}
   */
  public static EventStore toFile(
      FileOutput file, SampledProcess process, String jdk, SessionInfo info) {
    return new EventStore(new SessionWriter(process, jdk, info), info, StoreLimits.DEFAULT, file);
  }

  /** Sets name and version of the JVM, if they were not known. For the drain thread. */
  public void nameJvm(String name) {
    session.nameJvm(name);
  }

  /** Sets what names the service, see {@link StartFacts}. For the drain thread. */
  public void nameService(String facts) {
    session.nameService(facts);
  }

  /**
   * Goes on in another file, where all that it needs is defined again; the one before is complete
   * then. Any thread but the drain thread, for which it waits for a time; samples that are decoded
   * later are in the other file.
   *
   * @throws IOException if the other file can't be written
   */
  public void goOnIn(Path path) throws IOException {
    FileOutput file = (FileOutput) output;
    file.prepare(path);
    if (gate.isAttached() && gate.flush(NEXT_FILE_NANOS)) {
      return;
    }
    held(this::goOn);
  }

  /** Has the drain thread write all that it has, with a status, and waits for it for a time. */
  public void complete() {
    if (gate.isAttached()) {
      gate.flush(NEXT_FILE_NANOS);
    }
  }

  /** Why its file could not be written to the end, for the user; empty if it could. Any thread. */
  public String problem() {
    return output instanceof FileOutput file ? file.problem() : "";
  }

  /** Takes the file that was prepared, or begins another chunk if the present one is long. */
  private void goOn() {
    if (output instanceof FileOutput file && file.goOn()) {
      gate.nextChunkNumber();
    }
  }

  /**
   * Weaves all samples that are written from now on; {@link #chunkFinished} appends them to JFR's
   * chunks. To be called before the first sample, or again for the same JVM.
   *
   * @param jvmMetadata the JVM's metadata, as they are in a chunk
   * @param directories where what is encoded waits for the end of its chunk
   * @throws IOException if the metadata are laid out as in no JDK that is known
   */
  public void weave(byte[] jvmMetadata, List<Path> directories) throws IOException {
    hooks.weaveBy(
        LiveWeave.of(
            jvmMetadata, new StoredStacks(tables, limits, info), directories, session.uuid()));
  }

  /** Counts all samples that are written from now on as not woven. */
  public void weaveNone(String why) {
    hooks.weaveBy(LiveWeave.off(why));
  }

  /**
   * JFR has finished a chunk: appends its woven samples. Called on the thread that ended the chunk,
   * with JFR's lock; throws nothing.
   *
   * @param file the chunk's
   */
  public void chunkFinished(String file) {
    hooks.chunkFinished(file);
  }

  /** Samples that should be woven and are not. Any thread. */
  public long unwoven() {
    return hooks.weave().unwoven();
  }

  /** Why samples are not woven; "" if there is no reason beside their number. Any thread. */
  public String weaveNote() {
    return hooks.weave().note();
  }

  /**
   * Removes the hooks, after writing what an ended drain thread left; event types stay registered.
   */
  @Override
  public void close() {
    if (!gate.isAttached()) {
      flush();
    }
    gate.detach();
    if (output instanceof FileOutput file) {
      if (gate.hold(CLOSE_NANOS)) {
        try {
          file.close();
        } finally {
          gate.leave();
        }
      }
      return;
    }
    hooks.remove();
    // A drain thread that did not end may hold the gate while it waits for a disk.
    if (hooks.isWeaving() && gate.hold(CLOSE_NANOS)) {
      try {
        hooks.weave().discard();
      } finally {
        gate.leave();
      }
    }
  }

  /** Unregisters all events from JFR, after {@link #close}; {@link #open} registers them again. */
  public static void unregisterEvents() {
    if (FlightRecorder.isInitialized()) {
      StoreEvents.unregister();
    }
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
    if (hooks.isWeaving() && !ChunkHooks.isAnyOlderThan(Instant.MAX)) {
      held(hooks.weave()::discard);
    }
  }

  /** Frees what only samples need, after {@link #flush}; the next sample makes it again. */
  public void rest() {
    held(layout::rest);
  }

  /** Runs an action that must not overlap with a rotation. */
  private void held(Runnable action) {
    gate.hold();
    try {
      action.run();
    } finally {
      gate.leave();
    }
  }

  /**
   * Whether a chunk is about to end and waits, for at most 100 ms, for {@link #flushDone}; or
   * should end, since it is long.
   */
  public boolean flushRequested() {
    return gate.flushRequested() || output instanceof FileOutput file && file.isLong();
  }

  /** Everything that existed when {@link #flushRequested} became true is written. */
  public void flushDone() {
    flush();
    held(this::goOn);
    gate.flushDone();
  }

  /** Whether JFR writes samples now: some recording runs, and none forbids them. */
  public boolean isEnabled() {
    return output.isRecorded();
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

  /** Sets how many threads live; all of them may be sampled. */
  public void expectThreads(int count) {
    liveThreads = Math.min(count, MAX_LIVE_THREADS);
  }

  /** Removes all definitions, so that they are written again; ids continue and are never reused. */
  public void newGeneration() {
    newGeneration(false);
  }

  private void newGeneration(boolean goesOn) {
    flush();
    tables.clear(goesOn);
    if (hottest != null) {
      hottest.forget();
    }
    held(hooks.weave()::forgetStacks);
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
    held(hooks.weave()::keepNewest);
  }

  /** The id of a module; never 0. */
  public long module(ModuleDefinition module) {
    return tables.modules.intern(module);
  }

  /** The id of a method, symbol or stub; never 0. */
  public long method(MethodDefinition method) {
    return tables.method(method);
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
   * The same for a frame that was not found by unwind tables.
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

  /** The id of a context; never 0. Valid as long as the ids of stacks. */
  public long context(ContextDefinition context) {
    return tables.contexts.intern(context);
  }

  // ---- writing

  /**
   * Writes a sample and the definitions that its chunk lacks. Waits at most 2 s for a chunk
   * rotation.
   *
   * @return false if it was not written: JFR records no such samples or refuses the time of one
   *     that has a duration, or the ids are of an older generation
   */
  public boolean write(SampleRecord sample) {
    ThreadTable.Entry thread = output.isRecorded() ? threadOf(sample) : null;
    int chunk = thread == null ? 0 : enter();
    if (chunk == 0) {
      return false;
    }
    try {
      layout.write(sample, thread);
    } catch (RuntimeException | Error e) {
      defineAnew();
      throw e;
    } finally {
      leave(chunk);
    }
    if (hottest != null) {
      hottest.add(sample);
    }
    return true;
  }

  /** The thread of a sample that may be written now; null if it may not. */
  private ThreadTable.Entry threadOf(SampleRecord sample) {
    if (!output.isRecorded(sample.kind)) {
      return null;
    }
    ThreadTable.Entry thread = tables.threads.get(sample.threadKey);
    if (thread == null || (sample.stackId != 0 && tables.trie.indexOf(sample.stackId) < 0)) {
      return null;
    }
    if (sample.wakerKey != 0 && tables.threads.get(sample.wakerKey) == null) {
      sample.wakerKey = 0;
    }
    return output.knowsTime(sample.timeNanos) || !sample.kind.hasDuration() ? thread : null;
  }

  /** Writes the samples that are held back; called every second to bound the loss in a crash. */
  public void flush() {
    if (!layout.isEmpty()) {
      commit(null);
    }
    if (output instanceof FileOutput file) {
      file.flush();
      hottest.find();
    }
  }

  /**
   * The method, symbol or stub that most CPU time, or most events, were sampled in, and its share,
   * such as {@code 12 % in deflate}; of samples in a file only, up to a second old, and empty
   * before any. Any thread.
   */
  public String hottest() {
    return hottest == null ? "" : hottest.text();
  }

  /**
   * Writes the figures since the last status event.
   *
   * @param figures since the agent started
   * @return false if JFR records no samples; the next status then has the differences
   */
  public boolean status(SamplerFigures figures) {
    if (!output.isStatusRecorded()) {
      return false;
    }
    SamplerFigures last = lastStatus;
    SamplerStatus event = StatusFields.event(last == null ? figures : figures.since(last));
    if (!commit(event)) {
      return false;
    }
    lastStatus = figures;
    return true;
  }

  /** Commits what is held back, and behind it an event, if it isn't null. */
  private boolean commit(SamplerStatus event) {
    int chunk = enter();
    if (chunk == 0) {
      return false;
    }
    try {
      layout.write();
      if (event != null) {
        output.commit(event);
      }
    } catch (RuntimeException | Error e) {
      defineAnew();
      throw e;
    } finally {
      leave(chunk);
    }
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

  /** Returns the chunk to commit to, and then {@link #leave} must follow; or 0 for none. */
  private int enter() {
    int chunk = gate.enter(enabled);
    if (chunk == 0) {
      // Woven samples are kept: JFR disables events for a moment while it changes settings.
      held(layout::discard);
      return 0;
    }
    try {
      session.emit(chunk, output);
      layout.enter(chunk);
      hooks.weave().entered(gate.ended());
      return chunk;
    } catch (RuntimeException | Error e) {
      defineAnew();
      gate.leave();
      throw e;
    }
  }

  /** After a failure, such as no memory, definitions marked as written may not have been. */
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

  // ---- counters

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

  void beforeRotation() {
    hooks.beforeRotation();
  }

  void afterRotation() {
    hooks.afterRotation();
  }

  /**
   * Reports on the thread that ends the last chunk that the drain thread did not finish. Counts
   * nothing, as the counts belong to the drain thread.
   */
  private void reportLoss() {
    SamplerFigures last = lastStatus;
    if (last == null || !output.isStatusRecorded()) {
      return; // sampling had not begun, which StartWatch reports
    }
    String note = last.note().isEmpty() ? LATE : LATE + "; " + last.note();
    output.commit(StatusFields.event(last.since(last).with(note)));
  }
}
