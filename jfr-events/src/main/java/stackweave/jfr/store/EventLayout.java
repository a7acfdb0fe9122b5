package stackweave.jfr.store;

import jdk.jfr.Event;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.EventSample;
import stackweave.jfr.event.Frame;
import stackweave.jfr.event.Method;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeLibrary;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SampledThread;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.weave.live.LiveWeave;

/**
 * Schema 1: an event for each definition, before the sample that needs it; nothing is held back.
 * Belongs to the drain thread.
 */
final class EventLayout implements SampleLayout {
  private final StackTables tables;
  private final SampleClock clock;

  /** Null if samples are not woven. */
  private LiveWeave weave;

  private int chunk;

  /** The last sample if its commit was torn by a rotation: stack and thread to write once more. */
  private boolean torn;

  private boolean written;
  private long lastStack;
  private long lastThread;
  private long lastContext;

  EventLayout(StackTables tables, SampleClock clock) {
    this.tables = tables;
    this.clock = clock;
  }

  @Override
  public void enter(int chunk) {
    this.chunk = chunk;
    if (torn) {
      torn = false;
      ThreadTable.Entry thread = tables.threads.get(lastThread);
      if (thread != null) {
        emitThread(thread);
      }
      emitStack(lastStack);
      tables.contexts.emit(lastContext, chunk);
    }
  }

  @Override
  public void sample(
      long timeNanos,
      ThreadTable.Entry thread,
      int stateCode,
      long weightNanos,
      long stackId,
      int endCode,
      long contextId) {
    emitThread(thread);
    emitStack(stackId);
    tables.contexts.emit(contextId, chunk);
    NativeSample event = new NativeSample();
    event.sampledThread = thread.thread();
    event.threadId = thread.key;
    event.state = stateCode;
    event.weight = weightNanos;
    event.stackId = stackId;
    event.end = endCode;
    event.contextId = contextId;
    clock.stamp(event, timeNanos);
    event.commit();
    if (weave != null) {
      weave.sample(clock.ticks(event), thread.key, stackId, endCode);
    }
    wrote(thread, stackId, contextId);
  }

  @Override
  public void unwoven(Event event, ThreadTable.Entry thread, long stackId) {
    emitThread(thread);
    if (event instanceof Blocked blocked) {
      ThreadTable.Entry waker = tables.threads.get(blocked.wakerThreadId);
      if (waker != null) {
        emitThread(waker);
      }
    }
    emitStack(stackId);
    long contextId = contextId(event);
    tables.contexts.emit(contextId, chunk);
    event.commit();
    wrote(thread, stackId, contextId);
  }

  private static long contextId(Event event) {
    if (event instanceof WallSample sample) {
      return sample.contextId;
    }
    if (event instanceof EventSample sample) {
      return sample.contextId;
    }
    if (event instanceof NativeMemory touched) {
      return touched.contextId;
    }
    if (event instanceof NativeAllocation block) {
      return block.contextId;
    }
    return event instanceof Blocked blocked ? blocked.contextId : 0;
  }

  private void wrote(ThreadTable.Entry thread, long stackId, long contextId) {
    written = true;
    lastStack = stackId;
    lastThread = thread.key;
    lastContext = contextId;
  }

  /** Up to the first ancestor that the chunk holds: it holds that one's ancestors too. */
  private void emitStack(long stackId) {
    StackTrie trie = tables.trie;
    long id = stackId;
    while (id != EventStore.ROOT) {
      int index = trie.indexOf(id);
      if (index < 0 || trie.emitted(index) == chunk) {
        return;
      }
      trie.setEmitted(index, chunk);
      emitMethod(trie.method(index));
      Frame event = new Frame();
      event.id = id;
      event.parentId = trie.parent(index);
      event.methodId = trie.method(index);
      event.kind = trie.kind(index);
      event.line = Math.max(0, trie.line(index));
      event.offset = trie.offset(index);
      event.found = trie.found(index);
      event.commit();
      id = trie.parent(index);
    }
  }

  private void emitMethod(long id) {
    int index = tables.methods.indexOf(id);
    if (index < 0 || !tables.methods.claim(index, chunk)) {
      return;
    }
    MethodDefinition method = tables.methods.at(index);
    emitModule(method.moduleId());
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

  private void emitModule(long id) {
    int index = tables.modules.indexOf(id);
    if (index < 0 || !tables.modules.claim(index, chunk)) {
      return;
    }
    ModuleDefinition module = tables.modules.at(index);
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
    event.loadObserved = module.loadObserved();
    event.commit();
  }

  private void emitThread(ThreadTable.Entry thread) {
    if (thread.emitted == chunk) {
      return;
    }
    thread.emitted = chunk;
    if (thread.carrier != null) {
      emitThread(thread.carrier);
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

  @Override
  public boolean isEmpty() {
    return true;
  }

  @Override
  public void write() {
    // Nothing is held back.
  }

  @Override
  public void leave(boolean torn) {
    this.torn |= written && torn;
    written = false;
  }

  @Override
  public void chunkEnds(int chunk) {
    // Nothing is held back.
  }

  @Override
  public void discard() {
    // Nothing is held back.
  }

  @Override
  public void weaveBy(LiveWeave weave) {
    this.weave = weave;
  }

  @Override
  public void rest() {
    // Nothing is kept but the tables.
  }
}
