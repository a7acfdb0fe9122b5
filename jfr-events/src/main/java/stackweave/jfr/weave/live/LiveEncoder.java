package stackweave.jfr.weave.live;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.weave.format.EncodedBytes;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.TraceFrame;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.WeaveException;
import stackweave.jfr.weave.live.LivePiece.Pool;
import stackweave.unwind.hash.LongIndex;

/**
 * Makes of a sample an event, and the constants that its piece lacks. A key means one thing as long
 * as the process lives: a file holds many of its chunks, and readers take a constant whose key was
 * in the chunk before for the same. Allocates nothing for a stack and a thread that it knows. Not
 * thread-safe.
 */
final class LiveEncoder {
  /** Of a library's functions and other native code: those of JFR have no bytecode either. */
  private static final int NO_BYTECODE_INDEX = 0;

  private static final int NO_NAME = 0;

  /** A text with the key that it is known by. */
  private static final class Name {
    final long key;
    final String text;

    /** Of a class: its package, or null. */
    final Name packageName;

    /** The last piece that has it. */
    int piece;

    Name(long key, String text, Name packageName) {
      this.key = key;
      this.text = text;
      this.packageName = packageName;
    }
  }

  private static final class Method {
    final long key;
    final Name type;
    final Name name;
    final Name descriptor;
    final int modifiers;
    int piece;

    Method(long key, Name type, Name name, Name descriptor, int modifiers) {
      this.key = key;
      this.type = type;
      this.name = name;
      this.descriptor = descriptor;
      this.modifiers = modifiers;
    }
  }

  private final TraceLayout layout;
  private final LiveStacks stacks;
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

  private Method[] methodOf = new Method[1_024];
  private int[] typeOf = new int[1_024];

  /** Whether a method is one of Java. */
  private boolean[] isJava = new boolean[1_024];

  private final Map<TraceFrame, Method> byContent = new HashMap<>();
  private final Map<String, Name> classes = new HashMap<>();
  private final Map<String, Name> packages = new HashMap<>();
  private final Map<String, Name> symbols = new HashMap<>();

  private final EncodedBytes event = new EncodedBytes(64);
  private final EncodedBytes size = new EncodedBytes(16);
  private final EncodedBytes frames = new EncodedBytes(1 << 12);

  /** Where the frames of a stack begin, behind their number. */
  private final EncodedBytes counted = new EncodedBytes(1 << 12);

  LiveEncoder(LiveTypes types, LiveStacks stacks, FileIds ids) {
    this.layout = types.layout;
    this.stacks = stacks;
    this.ids = ids;
  }

  /** Forgets stacks and threads: their ids do not come again. */
  void forgetStacks() {
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
    byContent.clear();
    classes.clear();
    packages.clear();
    symbols.clear();
  }

  /**
   * Adds a sample.
   *
   * @param ticks when it was taken, by JFR's clock
   * @throws WeaveException if the process had so many stacks or threads that no keys are left
   * @throws IOException if the piece's file does not take it; the piece is of no use then
   */
  void sample(LivePiece piece, long ticks, long threadKey, long stackId, int endCode)
      throws IOException {
    if (methods.count() >= stacks.maxMethods() || byContent.size() >= stacks.maxMethods()) {
      forgetMethods();
    }
    long thread = thread(piece, threadKey);
    long trace = trace(piece, stackId, endCode);
    event.clear();
    event.number(layout.event.id());
    layout
        .event
        .set(TraceLayout.TIME, ticks)
        .set(TraceLayout.SAMPLED_THREAD, thread)
        .set(TraceLayout.TRACE, trace)
        .set(TraceLayout.STATE, LiveTypes.RUNNABLE)
        .write(event);
    size.clear();
    size.sizeWithItself(event.size());
    piece.event(size, event);
  }

  // ---- threads

  private long thread(LivePiece piece, long threadKey) throws IOException {
    int index = threads.add(threadKey);
    if (threads.capacity() > threadKeys.length) {
      threadKeys = Arrays.copyOf(threadKeys, threads.capacity());
      threadPieces = Arrays.copyOf(threadPieces, threads.capacity());
    }
    if (threadKeys[index] == 0) {
      threadKeys[index] = keyOf(stacks.thread(threadKey));
    }
    if (threadPieces[index] != piece.number()) {
      define(piece, threadKeys[index], stacks.thread(threadKey));
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

  private void define(LivePiece piece, long key, StackThread thread) throws IOException {
    boolean hasJavaName = thread.javaId() != 0;
    layout
        .thread
        .set(TraceLayout.OS_NAME, thread.text())
        .set(TraceLayout.OS_ID, thread.osThreadId())
        .set(TraceLayout.JAVA_NAME, hasJavaName ? thread.text() : null)
        .set(TraceLayout.JAVA_ID, thread.javaId())
        .set(TraceLayout.VIRTUAL, thread.isVirtual() ? 1 : 0)
        .write(piece.constant(Pool.THREAD, key));
  }

  // ---- stacks

  private long trace(LivePiece piece, long stackId, int endCode) throws IOException {
    boolean isWhole = stacks.end(endCode).isComplete();
    int index = traces.add(stackId == 0 ? ~(long) endCode : stackId << 1 | (isWhole ? 1 : 0));
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

  private void define(LivePiece piece, long key, long stackId, boolean isWhole, int endCode)
      throws IOException {
    frames.clear();
    int count = 0;
    for (long node = stackId; node != 0; node = stacks.parent(node)) {
      int method = method(stacks.method(node), stacks.kind(node));
      int bytecodeIndex =
          isJava[method] ? Math.max(0, (int) stacks.offset(node)) : NO_BYTECODE_INDEX;
      frame(piece, methodOf[method], typeOf[method], stacks.line(node), bytecodeIndex);
      count++;
    }
    if (count == 0) {
      String why = stacks.end(endCode).marker(0).orElse("[" + stacks.end(endCode).label() + "]");
      Method placeholder = added(TraceFrame.placeholder(why));
      frame(piece, placeholder, TraceFrame.Type.NATIVE.usualKey(), 0, NO_BYTECODE_INDEX);
      count = 1;
    }
    counted.clear();
    counted.number(count);
    counted.append(frames);
    layout
        .stackTrace
        .set(TraceLayout.TRUNCATED, isWhole ? 0 : 1)
        .set(counted)
        .write(piece.constant(Pool.STACK_TRACE, key));
  }

  private void frame(LivePiece piece, Method method, int type, int line, int bytecodeIndex)
      throws IOException {
    if (method.piece != piece.number()) {
      method.piece = piece.number();
      define(piece, method);
    }
    layout
        .frame
        .set(TraceLayout.FRAME_METHOD, method.key)
        .set(TraceLayout.LINE, Math.max(0, line))
        .set(TraceLayout.BYTECODE_INDEX, bytecodeIndex)
        .set(TraceLayout.FRAME_TYPE_KEY, type)
        .write(frames);
  }

  // ---- methods and their names

  private int method(long methodId, int kind) {
    int index = methods.add(methodId << 7 | kind);
    if (methods.capacity() > methodOf.length) {
      methodOf = Arrays.copyOf(methodOf, methods.capacity());
      typeOf = Arrays.copyOf(typeOf, methods.capacity());
      isJava = Arrays.copyOf(isJava, methods.capacity());
    }
    if (methodOf[index] == null) {
      SampledMethod method = stacks.definition(methodId);
      SampledFrame frame = new SampledFrame(method, stacks.kindLabel(kind), 0, 0);
      methodOf[index] = added(TraceFrame.of(frame));
      typeOf[index] = TraceFrame.type(frame).usualKey();
      isJava[index] = !method.className().isEmpty();
    }
    return index;
  }

  private Method added(TraceFrame frame) {
    Method known = byContent.get(frame);
    if (known == null) {
      known =
          new Method(
              ids.method(),
              type(frame.className(), frame.packageName()),
              name(symbols, frame.name()),
              name(symbols, frame.descriptor()),
              frame.modifiers());
      byContent.put(frame, known);
    }
    return known;
  }

  private Name type(String className, String packageName) {
    Name known = classes.get(className);
    if (known == null) {
      // The texts of both are symbols, too.
      name(symbols, className);
      known =
          new Name(
              ids.name(), className, packageName.isEmpty() ? null : name(packages, packageName));
      classes.put(className, known);
    }
    return known;
  }

  private Name name(Map<String, Name> names, String text) {
    Name known = names.get(text);
    if (known == null) {
      known = new Name(names == symbols ? ids.symbol() : ids.name(), text, null);
      names.put(text, known);
    }
    return known;
  }

  private void define(LivePiece piece, Method method) throws IOException {
    defineClass(piece, method.type);
    symbol(piece, method.name);
    symbol(piece, method.descriptor);
    layout
        .method
        .set(TraceLayout.METHOD_CLASS, method.type.key)
        .set(TraceLayout.NAME, method.name.key)
        .set(TraceLayout.DESCRIPTOR, method.descriptor.key)
        .set(TraceLayout.METHOD_MODIFIERS, method.modifiers)
        .write(piece.constant(Pool.METHOD, method.key));
  }

  private void defineClass(LivePiece piece, Name type) throws IOException {
    if (type.piece == piece.number()) {
      return;
    }
    type.piece = piece.number();
    long symbol = symbol(piece, name(symbols, type.text));
    Name packageName = type.packageName;
    if (packageName != null && packageName.piece != piece.number()) {
      packageName.piece = piece.number();
      layout
          .packages
          .set(TraceLayout.ONLY, symbol(piece, name(symbols, packageName.text)))
          .write(piece.constant(Pool.PACKAGE, packageName.key));
    }
    layout
        .type
        .set(TraceLayout.CLASS_NAME, symbol)
        .set(TraceLayout.CLASS_PACKAGE, packageName == null ? NO_NAME : packageName.key)
        .write(piece.constant(Pool.CLASS, type.key));
  }

  private long symbol(LivePiece piece, Name symbol) throws IOException {
    if (symbol.piece != piece.number()) {
      symbol.piece = piece.number();
      layout
          .symbol
          .set(TraceLayout.ONLY, symbol.text)
          .write(piece.constant(Pool.SYMBOL, symbol.key));
    }
    return symbol.key;
  }
}
