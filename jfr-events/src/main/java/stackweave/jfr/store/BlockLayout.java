package stackweave.jfr.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.StackEvent;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.store.output.EventOutput;
import stackweave.jfr.store.output.StoreEvents;
import stackweave.jfr.weave.LiveWeave;

/**
 * Writes samples and their definitions as events, the definitions of many samples in one block.
 * Samples, at most {@link #HELD_SAMPLES}, are held back until the block with their definitions is
 * written, so that in a chunk a sample comes after its definitions. All but {@link #isEmpty} is
 * guarded by the {@link ChunkGate}'s lock, and all but {@link #chunkEnds} is called by the drain
 * thread only; samples are written between {@link #enter} and {@link #leave}.
 */
final class BlockLayout {
  /** How many samples are written at once: blocks of fewer are deflated less well. */
  static final int HELD_SAMPLES = 128;

  /** The most frames of one record, so that a block can end between two. */
  private static final int MAX_CHAIN = 512;

  private final StackTables tables;
  private final EventOutput output;
  private final AttributesTable attributes = new AttributesTable();
  private final BlockEncoder block = new BlockEncoder();

  private LiveWeave weave = LiveWeave.NONE;

  /** The chunk that the block, and the samples held back, are made for. */
  private int chunk;

  private final List<StackEvent> held = new ArrayList<>(HELD_SAMPLES);

  /** Samples written since {@link #enter}: at most two times what is held back. */
  private final List<StackEvent> written = new ArrayList<>(2 * HELD_SAMPLES);

  /** Samples whose commit was torn by a rotation: their definitions must be written again. */
  private List<StackEvent> torn = List.of();

  /** New frames of a stack, the innermost first. */
  private int[] path = new int[256];

  BlockLayout(StackTables tables, EventOutput output) {
    this.tables = tables;
    this.output = output;
    block.bind();
  }

  /**
   * Commits may follow. The definitions of samples that were torn, or held back while chunks were
   * rotated, are written in this chunk, too.
   */
  void enter(int chunk) {
    if (chunk == this.chunk) {
      return;
    }
    this.chunk = chunk;
    block.clear();
    for (StackEvent sample : torn) {
      define(sample);
    }
    torn = List.of();
    for (StackEvent sample : held) {
      define(sample);
    }
  }

  /**
   * Writes a sample and the definitions that its chunk lacks, or holds it back for a while. Sets
   * the record's age and attributes.
   */
  void write(SampleRecord sample, ThreadTable.Entry thread) {
    StackEvent event = StoreEvents.newSample(sample.kind);
    sample.ageNanos = output.stamp(event, sample);
    if (event instanceof StackSample) {
      sample.attributesId = attributesOf(sample);
    }
    event.fill(sample);
    event.sampledThread = thread.thread();
    hold(event);
  }

  private long attributesOf(SampleRecord sample) {
    if (attributes.isFull()) {
      write();
      attributes.clear();
    }
    return attributes.intern(sample.state, sample.end, sample.contextId, sample.ageNanos);
  }

  private void hold(StackEvent event) {
    define(event);
    held.add(event);
    if (held.size() >= HELD_SAMPLES) {
      write();
    }
  }

  /** Adds to the block the definitions of a sample that the chunk lacks. */
  private void define(StackEvent event) {
    defineThread(event.threadId);
    long other = event.otherThreadId();
    if (other != 0) {
      defineThread(other);
    }
    long id = event.attributesId();
    attributes.define(id, chunk, block);
    tables.contexts.emit(id == 0 ? event.contextId() : attributes.context(id), chunk, output);
    defineStack(event.stackId);
  }

  private void defineThread(long key) {
    ThreadTable.Entry thread = tables.threads.get(key);
    if (thread != null) {
      defineThread(thread);
    }
  }

  private void defineThread(ThreadTable.Entry thread) {
    if (!tables.threads.claim(thread, chunk)) {
      return;
    }
    if (thread.carrier() != null) {
      defineThread(thread.carrier());
    }
    block.thread(thread);
    writeFullBlock();
  }

  /** Up to the first ancestor that the chunk has: it has that one's ancestors, too. */
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
    // New frames have consecutive ids, from the caller inwards.
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

  /** Writes the block if it is full; definitions may come any time before their sample. */
  private void writeFullBlock() {
    if (block.isFull()) {
      block.commit(output);
    }
  }

  /** Whether nothing is held back. */
  boolean isEmpty() {
    // The hook may empty it meanwhile, which does no harm.
    return held.isEmpty() && torn.isEmpty() && block.isEmpty();
  }

  /** Writes what is held back. */
  void write() {
    if (!block.isEmpty()) {
      block.commit(output);
    }
    while (!held.isEmpty()) {
      StackEvent event = held.remove(0); // removed first, so that a failure does not write it twice
      output.commit(event);
      written.add(event);
      if (event instanceof StackSample sample) {
        weave.sample(
            output.ticks(sample),
            sample.threadId,
            sample.stackId,
            attributes.end(sample.attributesId));
      }
    }
  }

  /**
   * @param torn whether the commits since {@link #enter} may be in the next chunk
   */
  void leave(boolean torn) {
    if (torn && !written.isEmpty()) {
      this.torn = List.copyOf(written);
    }
    written.clear();
  }

  /**
   * Called by JFR's hook on any thread, without {@link #enter}: writes the held samples whose
   * definitions are made for {@code chunk}, which ends. Touches nothing that the drain thread uses
   * outside of the gate.
   */
  void chunkEnds(int chunk) {
    if (chunk == this.chunk) {
      write();
      leave(false);
    }
  }

  /** Drops what is held back, because no recording writes it. */
  void discard() {
    held.clear();
    torn = List.of();
    block.clear();
    chunk = 0; // no chunk has what the block contained
  }

  /** All samples that are written from now on are woven, too. */
  void weaveBy(LiveWeave weave) {
    this.weave = weave;
  }

  /** Frees what is not needed while no samples are taken. */
  void rest() {
    if (isEmpty()) {
      attributes.clear();
    }
    block.close();
  }
}
