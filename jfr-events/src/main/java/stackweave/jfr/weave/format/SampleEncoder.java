package stackweave.jfr.weave.format;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import stackweave.jfr.read.SampleDefinitions;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.weave.format.WovenChunk.Pool;
import stackweave.unwind.hash.LongIndex;

/**
 * Makes of a sample an event, and the constants that its piece lacks. A key means one thing as long
 * as the process lives: a file holds many of its chunks, and readers take a constant whose key was
 * in the chunk before for the same. Allocates nothing for a stack and a thread that it knows. Not
 * thread-safe.
 */
public final class SampleEncoder {
  /** A longer chain of frames is a cycle, of a damaged recording. */
  private static final int MAX_FRAMES = 100_000;

  /** Of a library's functions and other native code: those of JFR have no bytecode either. */
  private static final int NO_BYTECODE_INDEX = 0;

  private final TraceLayout layout;
  private final int state;
  private final SampleDefinitions stacks;
  private final FileIds ids;

  /** By stack and whether it is whole; below 0 by end, for samples without a frame. */
  private final LongIndex traces = new LongIndex();

  private long[] traceKeys = new long[1_024];
  private int[] tracePieces = new int[1_024];

  /** The traces that have a key; those behind are of stacks that were forgotten. */
  private int knownTraces;

  private final LongIndex threads = new LongIndex();
  private long[] threadKeys = new long[1_024];
  private int[] threadPieces = new int[1_024];

  /** So that a thread keeps its key when the store has forgotten it. */
  private final Map<StackThread, Long> byThread = new HashMap<>();

  /** By method and kind of code. */
  private final LongIndex methods = new LongIndex();

  private WovenNames.Method[] methodOf = new WovenNames.Method[1_024];
  private int[] typeOf = new int[1_024];

  /** Whether a method is one of Java. */
  private boolean[] isJava = new boolean[1_024];

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

  /** Forgets stacks and threads: their ids do not come again. */
  public void forgetStacks() {
    traces.clear();
    knownTraces = 0;
    threads.clear();
    Arrays.fill(threadKeys, 0);
    Arrays.fill(threadPieces, 0);
    methods.clear();
    Arrays.fill(methodOf, null);
  }

  private void forgetMethods() {
    methods.clear();
    Arrays.fill(methodOf, null);
    names.clear();
  }

  /**
   * Adds a sample.
   *
   * @param ticks when it was taken, by JFR's clock
   * @param times how many events it becomes
   * @throws WeaveException if the process had so many stacks or threads that no keys are left
   * @throws IOException if the piece's file does not take it; the piece is of no use then
   */
  public void sample(
      WovenChunk piece, long ticks, long threadKey, long stackId, int endCode, int times)
      throws IOException {
    if (methods.count() >= stacks.maxMethods() || names.methods() >= stacks.maxMethods()) {
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
    int index = threads.add(threadKey);
    if (threads.capacity() > threadKeys.length) {
      threadKeys = Arrays.copyOf(threadKeys, threads.capacity());
      threadPieces = Arrays.copyOf(threadPieces, threads.capacity());
    }
    if (threadKeys[index] == 0) {
      threadKeys[index] = keyOf(stacks.thread(threadKey));
    }
    if (threadPieces[index] != piece.number()) {
      layout.thread(piece.constant(Pool.THREAD, threadKeys[index]), stacks.thread(threadKey));
      threadPieces[index] = piece.number();
    }
    return threadKeys[index];
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
        traces.add(stackId == 0 ? ~(endCode & 0xFFFF_FFFFL) : stackId << 1 | (isWhole ? 1 : 0));
    if (traces.capacity() > traceKeys.length) {
      traceKeys = Arrays.copyOf(traceKeys, traces.capacity());
      tracePieces = Arrays.copyOf(tracePieces, traces.capacity());
    }
    if (index >= knownTraces) {
      traceKeys[index] = ids.trace();
      tracePieces[index] = 0;
      knownTraces = index + 1;
    }
    if (tracePieces[index] != piece.number()) {
      define(piece, traceKeys[index], stackId, isWhole && stackId != 0, endCode);
      tracePieces[index] = piece.number();
    }
    return traceKeys[index];
  }

  private void define(WovenChunk piece, long key, long stackId, boolean isWhole, int endCode)
      throws IOException {
    frames.clear();
    int count = 0;
    for (long node = stackId; node != 0 && count < MAX_FRAMES; node = stacks.parent(node)) {
      int method = method(node);
      int bytecodeIndex =
          isJava[method] ? Math.max(0, (int) stacks.offset(node)) : NO_BYTECODE_INDEX;
      frame(piece, methodOf[method], typeOf[method], stacks.line(node), bytecodeIndex);
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

  private int method(long node) {
    int index = methods.add(stacks.code(node));
    if (methods.capacity() > methodOf.length) {
      methodOf = Arrays.copyOf(methodOf, methods.capacity());
      typeOf = Arrays.copyOf(typeOf, methods.capacity());
      isJava = Arrays.copyOf(isJava, methods.capacity());
    }
    if (methodOf[index] == null) {
      SampledFrame frame = stacks.frame(node);
      methodOf[index] = names.of(TraceFrame.of(frame));
      typeOf[index] = TraceFrame.type(frame).usualKey();
      isJava[index] = !frame.method().className().isEmpty();
    }
    return index;
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
