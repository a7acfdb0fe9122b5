package stackweave.jfr.store;

import java.util.Arrays;
import jdk.jfr.Event;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.EventSample;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.weave.live.LiveWeave;

/**
 * Schema 2: definitions of many samples in one block. Samples are held back until the block that
 * explains them is written, at most {@link #HELD_SAMPLES} of them: so a chunk that has a sample has
 * its definitions, and before it. All of it is guarded by the gate's lock; the drain thread alone
 * calls it, but for {@link #chunkEnds}.
 */
final class BlockLayout {
  /** How many samples are written at once: blocks of fewer are deflated less well. */
  static final int HELD_SAMPLES = 128;

  /** The most frames of one record, so that a block can end between two. */
  private static final int MAX_CHAIN = 512;

  private final StackTables tables;
  private final SampleClock clock;
  private final AttributesTable attributes = new AttributesTable();
  private final BlockEncoder block = new BlockEncoder();

  /** Null if samples are not woven. */
  private LiveWeave weave;

  /** The chunk that the block, and the samples held back, are made for. */
  private int chunk;

  /**
   * Each a {@link StackSample}, {@link WallSample}, {@link Blocked}, {@link EventSample} or {@link
   * NativeMemory}, as all events here.
   */
  private final Event[] held = new Event[HELD_SAMPLES];

  private int heldCount;

  /** Samples written since {@link #enter}: at most two times what is held back. */
  private final Event[] written = new Event[2 * HELD_SAMPLES];

  private int writtenCount;

  /** Samples whose commit was torn by a rotation: what they need is to be defined once more. */
  private Event[] torn = {};

  /** New frames of a stack, the innermost first. */
  private int[] path = new int[256];

  BlockLayout(StackTables tables, SampleClock clock) {
    this.tables = tables;
    this.clock = clock;
    block.bind();
  }

  void enter(int chunk) {
    if (chunk == this.chunk) {
      return;
    }
    this.chunk = chunk;
    block.clear();
    for (Event sample : torn) {
      define(sample);
    }
    torn = new Event[0];
    for (int i = 0; i < heldCount; i++) {
      define(held[i]);
    }
  }

  void sample(
      long timeNanos,
      ThreadTable.Entry thread,
      int stateCode,
      long weightNanos,
      long stackId,
      int endCode,
      long contextId) {
    StackSample event = new StackSample();
    event.sampledThread = thread.thread();
    event.threadId = thread.key;
    event.weight = weightNanos;
    event.stackId = stackId;
    long age = clock.stamp(event, timeNanos);
    if (attributes.isFull()) {
      write();
      attributes.clear();
    }
    event.attributesId = attributes.intern(stateCode, endCode, contextId, age);
    hold(event);
  }

  void unwoven(Event event, ThreadTable.Entry thread, long stackId) {
    hold(event);
  }

  private void hold(Event event) {
    define(event);
    held[heldCount++] = event;
    if (heldCount == HELD_SAMPLES) {
      write();
    }
  }

  /** Puts into the block what the chunk lacks to explain a sample. */
  private void define(Event event) {
    if (event instanceof StackSample sample) {
      defineThread(sample.threadId);
      attributes.define(sample.attributesId, chunk, block);
      tables.contexts.emit(attributes.context(sample.attributesId), chunk);
      defineStack(sample.stackId);
    } else if (event instanceof WallSample sample) {
      defineThread(sample.threadId);
      tables.contexts.emit(sample.contextId, chunk);
      defineStack(sample.stackId);
    } else if (event instanceof Blocked blocked) {
      defineThread(blocked.threadId);
      defineThread(blocked.wakerThreadId);
      tables.contexts.emit(blocked.contextId, chunk);
      defineStack(blocked.stackId);
    } else if (event instanceof NativeMemory touched) {
      defineThread(touched.threadId);
      tables.contexts.emit(touched.contextId, chunk);
      defineStack(touched.stackId);
    } else if (event instanceof NativeAllocation block) {
      defineThread(block.threadId);
      tables.contexts.emit(block.contextId, chunk);
      defineStack(block.stackId);
    } else if (event instanceof EventSample sample) {
      defineThread(sample.threadId);
      tables.contexts.emit(sample.contextId, chunk);
      defineStack(sample.stackId);
    }
  }

  private void defineThread(long key) {
    ThreadTable.Entry thread = tables.threads.get(key);
    if (thread != null) {
      defineThread(thread);
    }
  }

  private void defineThread(ThreadTable.Entry thread) {
    if (thread.emitted == chunk) {
      return;
    }
    thread.emitted = chunk;
    if (thread.carrier != null) {
      defineThread(thread.carrier);
    }
    block.thread(thread);
    writeFullBlock();
  }

  /** Up to the first ancestor that the chunk holds: it holds that one's ancestors too. */
  private void defineStack(long stackId) {
    StackTrie trie = tables.trie;
    int count = 0;
    long id = stackId;
    while (id != EventStore.ROOT) {
      int index = trie.indexOf(id);
      if (index < 0 || trie.emitted(index) == chunk) {
        break;
      }
      trie.setEmitted(index, chunk);
      defineMethod(trie.method(index));
      if (count == path.length) {
        path = Arrays.copyOf(path, 2 * count);
      }
      path[count++] = index;
      id = trie.parent(index);
    }
    // Frames that are new altogether have ids that follow each other, from the caller inwards.
    int end = count;
    while (end > 0) {
      int first = end - 1;
      int last = first;
      while (last > 0 && path[last - 1] == path[last] + 1 && end - last < MAX_CHAIN) {
        last--;
      }
      defineChain(first, last);
      end = last;
    }
  }

  private void defineChain(int first, int last) {
    StackTrie trie = tables.trie;
    block.chain(trie.id(path[first]), trie.parent(path[first]), first - last + 1);
    for (int i = first; i >= last; i--) {
      int index = path[i];
      block.frame(
          trie.method(index),
          trie.kind(index),
          Math.max(0, trie.line(index)),
          trie.offset(index),
          trie.found(index));
    }
    writeFullBlock();
  }

  private void defineMethod(long id) {
    int index = tables.methods.indexOf(id);
    if (index < 0 || !tables.methods.claim(index, chunk)) {
      return;
    }
    MethodDefinition method = tables.methods.at(index);
    int module = tables.modules.indexOf(method.moduleId());
    if (module >= 0 && tables.modules.claim(module, chunk)) {
      block.library(method.moduleId(), tables.modules.at(module));
    }
    block.method(id, method);
    writeFullBlock();
  }

  /** Definitions may come any time before their sample. */
  private void writeFullBlock() {
    if (block.isFull()) {
      block.commit();
    }
  }

  boolean isEmpty() {
    // The hook may empty it meanwhile, which does no harm.
    return heldCount == 0 && torn.length == 0 && block.isEmpty();
  }

  void write() {
    if (!block.isEmpty()) {
      block.commit();
    }
    int count = heldCount;
    heldCount = 0; // whatever happens, none is written twice
    for (int i = 0; i < count; i++) {
      Event event = held[i];
      held[i] = null;
      event.commit();
      written[writtenCount++] = event;
      if (weave != null && event instanceof StackSample sample) {
        weave.sample(
            clock.ticks(sample),
            sample.threadId,
            sample.stackId,
            attributes.end(sample.attributesId));
      }
    }
  }

  void leave(boolean torn) {
    if (torn && writtenCount > 0) {
      this.torn = Arrays.copyOf(written, writtenCount);
    }
    Arrays.fill(written, 0, writtenCount, null);
    writtenCount = 0;
  }

  void chunkEnds(int chunk) {
    if (chunk == this.chunk) {
      write();
      leave(false);
    }
  }

  void discard() {
    Arrays.fill(held, 0, heldCount, null);
    heldCount = 0;
    torn = new Event[0];
    block.clear();
    chunk = 0; // what the block had is in no chunk
  }

  void weaveBy(LiveWeave weave) {
    this.weave = weave;
  }

  void rest() {
    if (isEmpty()) {
      attributes.clear();
    }
    block.close();
  }
}
