package stackweave.jfr.weave.format;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.read.SampleDefinitions;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.weave.format.WovenChunk.Pool;
import stackweave.unwind.hash.LongIndex;

/**
 * Encodes a sample as an event, with the constants that its piece lacks. A key has one meaning as
 * long as the process lives ({@link FileIds} has the reason). Allocates nothing for a known stack
 * and thread. Not thread-safe.
 */
public final class SampleEncoder {
  /** A longer chain of frames is a cycle in a damaged recording. */
  private static final int MAX_FRAMES = 100_000;

  /** The index for native code; JFR's native methods have none, either. */
  private static final int NO_BYTECODE_INDEX = 0;

  private final TraceLayout layout;
  private final int state;
  private final SampleDefinitions stacks;
  private final FileIds ids;

  /** The numbers of traces, by stack and whether it is whole; below 0 by end without a frame. */
  private final LongIndex traceNumbers = new LongIndex();

  private final List<Known> traces = new ArrayList<>();
  private final LongIndex threadNumbers = new LongIndex();

  private final List<Known> threads = new ArrayList<>();

  /** Lets a thread keep its key after the store has forgotten it. */
  private final Map<StackThread, Long> byThread = new HashMap<>();

  /** The numbers of methods in one kind of code each. */
  private final LongIndex methodNumbers = new LongIndex();

  private final List<Code> methods = new ArrayList<>();

  /** A constant. */
  private static final class Known {
    final long key;

    /** The last piece that has it. */
    int piece;

    Known(long key) {
      this.key = key;
    }
  }

  /** A method in a kind of code. */
  private record Code(WovenNames.Method method, int type, boolean isJava) {}

  private final WovenNames names;

  private final EncodedBytes event = new EncodedBytes(64);
  private final EncodedBytes size = new EncodedBytes(16);
  private final EncodedBytes frames = new EncodedBytes(1 << 12);

  /** Where the frames of a stack begin, behind their number. */
  private final EncodedBytes counted = new EncodedBytes(1 << 12);

  /**
   * Before the first sample.
   *
   * @param stacks what the ids of samples mean
   * @param ids gives the keys of constants
   */
  public SampleEncoder(WovenTypes types, SampleDefinitions stacks, FileIds ids) {
    this.layout = types.layout;
    this.state = types.state;
    this.stacks = stacks;
    this.ids = ids;
    this.names = new WovenNames(ids);
  }

  /** Forgets stacks and threads, whose ids are not used again. */
  public void forgetStacks() {
    traceNumbers.clear();
    traces.clear();
    threadNumbers.clear();
    threads.clear();
    methodNumbers.clear();
    methods.clear();
  }

  private void forgetMethods() {
    methodNumbers.clear();
    methods.clear();
    names.clear();
  }

  /**
   * Adds a sample.
   *
   * @param ticks when it was taken, by JFR's clock
   * @param times how many events it becomes
   * @throws WeaveException if the process had so many stacks or threads that no keys are left
   * @throws IOException if it can't be written to the piece's file; the piece must not be used then
   */
  public void sample(
      WovenChunk piece, long ticks, long threadKey, long stackId, int endCode, int times)
      throws IOException {
    if (methods.size() >= stacks.maxMethods() || names.methods() >= stacks.maxMethods()) {
      forgetMethods();
    }
    long thread = thread(piece, threadKey);
    long trace = trace(piece, stackId, endCode);
    event.clear();
    layout.event(event, ticks, thread, trace, state);
    size.clear();
    size.sizeWithItself(event.size());
    for (int i = 0; i < times; i++) {
      piece.event(size, event);
    }
  }

  // ---- threads

  private long thread(WovenChunk piece, long threadKey) throws IOException {
    int index = threadNumbers.add(threadKey);
    Known thread = at(index, threads);
    if (thread == null) {
      thread = new Known(keyOf(stacks.thread(threadKey)));
      threads.set(index, thread);
    }
    if (thread.piece != piece.number()) {
      layout.thread(piece.constant(Pool.THREAD, thread.key), stacks.thread(threadKey));
      thread.piece = piece.number();
    }
    return thread.key;
  }

  /** The entry of an index; null if it has none, and then the list has room for it. */
  private static <T> T at(int index, List<T> known) {
    while (known.size() <= index) {
      known.add(null);
    }
    return known.get(index);
  }

  private long keyOf(StackThread thread) throws WeaveException {
    if (byThread.size() >= stacks.maxThreads()) {
      byThread.clear();
    }
    Long known = byThread.get(thread);
    if (known == null) {
      known = ids.thread();
      byThread.put(thread, known);
    }
    return known;
  }

  // ---- stacks

  private long trace(WovenChunk piece, long stackId, int endCode) throws IOException {
    boolean isWhole = stacks.end(endCode).isComplete();
    int index =
        traceNumbers.add(
            stackId == 0 ? ~(endCode & 0xFFFF_FFFFL) : stackId << 1 | (isWhole ? 1 : 0));
    Known trace = at(index, traces);
    if (trace == null) {
      trace = new Known(ids.trace());
      traces.set(index, trace);
    }
    if (trace.piece != piece.number()) {
      define(piece, trace.key, stackId, isWhole && stackId != 0, endCode);
      trace.piece = piece.number();
    }
    return trace.key;
  }

  private void define(WovenChunk piece, long key, long stackId, boolean isWhole, int endCode)
      throws IOException {
    frames.clear();
    int count = 0;
    for (long node = stackId; node != 0 && count < MAX_FRAMES; node = stacks.parent(node)) {
      Code code = code(node);
      int bytecodeIndex = code.isJava ? Math.max(0, (int) stacks.offset(node)) : NO_BYTECODE_INDEX;
      frame(piece, code.method, code.type, stacks.line(node), bytecodeIndex);
      count++;
    }
    if (count == 0) {
      String why = stacks.end(endCode).marker(0).orElse("[" + stacks.end(endCode).label() + "]");
      WovenNames.Method placeholder = names.of(TraceFrame.placeholder(why));
      frame(piece, placeholder, TraceFrame.Type.NATIVE.usualKey(), 0, NO_BYTECODE_INDEX);
      count = 1;
    }
    counted.clear();
    counted.number(count);
    counted.append(frames);
    layout.trace(piece.constant(Pool.STACK_TRACE, key), !isWhole, counted);
  }

  private void frame(
      WovenChunk piece, WovenNames.Method method, int type, int line, int bytecodeIndex)
      throws IOException {
    if (method.piece != piece.number()) {
      method.piece = piece.number();
      define(piece, method);
    }
    layout.frame(frames, method.key, line, bytecodeIndex, type);
  }

  // ---- methods and their names

  private Code code(long node) {
    int index = methodNumbers.add(stacks.code(node));
    Code code = at(index, methods);
    if (code == null) {
      SampledFrame frame = stacks.frame(node);
      code =
          new Code(
              names.of(TraceFrame.of(frame)),
              TraceFrame.type(frame).usualKey(),
              !frame.method().className().isEmpty());
      methods.set(index, code);
    }
    return code;
  }

  private void define(WovenChunk piece, WovenNames.Method method) throws IOException {
    WovenNames.Name type = method.type;
    if (type.piece != piece.number()) {
      type.piece = piece.number();
      define(piece, type.packageName);
      symbol(piece, type.symbol);
      layout.type(piece.constant(Pool.CLASS, type.key), type);
    }
    symbol(piece, method.name);
    symbol(piece, method.descriptor);
    layout.method(piece.constant(Pool.METHOD, method.key), method);
  }

  private void define(WovenChunk piece, WovenNames.Name packageName) throws IOException {
    if (packageName != null && packageName.piece != piece.number()) {
      packageName.piece = piece.number();
      symbol(piece, packageName.symbol);
      layout.packageName(piece.constant(Pool.PACKAGE, packageName.key), packageName);
    }
  }

  private void symbol(WovenChunk piece, WovenNames.Name symbol) throws IOException {
    if (symbol.piece != piece.number()) {
      symbol.piece = piece.number();
      layout.symbol(piece.constant(Pool.SYMBOL, symbol.key), symbol);
    }
  }
}
