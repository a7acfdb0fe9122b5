package stackweave.jfr.weave.format;

import static stackweave.jfr.weave.format.TypeWriter.Known.needed;
import static stackweave.jfr.weave.format.TypeWriter.Known.optional;

import java.io.IOException;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.weave.format.TypeWriter.Holds;

/**
 * The types of a chunk that make up stack traces, as the chunk's own metadata lay them out. The
 * constants are the places of their fields. Not thread-safe.
 */
public final class TraceLayout {
  public static final String EXECUTION_SAMPLE = "jdk.ExecutionSample";
  public static final String STACK_TRACE = "jdk.types.StackTrace";
  public static final String METHOD = "jdk.types.Method";
  public static final String CLASS = "java.lang.Class";
  public static final String PACKAGE = "jdk.types.Package";
  public static final String SYMBOL = "jdk.types.Symbol";
  public static final String THREAD = "java.lang.Thread";
  public static final String FRAME_TYPE = "jdk.types.FrameType";
  public static final String THREAD_STATE = "jdk.types.ThreadState";

  /** A state of threads. */
  public static final String RUNNABLE = "STATE_RUNNABLE";

  public static final String STRING = "java.lang.String";
  private static final String STACK_FRAME = "jdk.types.StackFrame";

  private static final int TIME = 0;
  private static final int SAMPLED_THREAD = 1;
  private static final int TRACE = 2;
  private static final int STATE = 3;

  private static final int TRUNCATED = 0;

  private static final int FRAME_METHOD = 0;
  private static final int LINE = 1;
  private static final int BYTECODE_INDEX = 2;
  private static final int FRAME_TYPE_KEY = 3;

  private static final int METHOD_CLASS = 0;
  private static final int NAME = 1;
  private static final int DESCRIPTOR = 2;
  private static final int METHOD_MODIFIERS = 3;

  private static final int CLASS_NAME = 0;
  private static final int CLASS_PACKAGE = 1;

  /** The only known field of a type. */
  public static final int ONLY = 0;

  private static final int OS_NAME = 0;
  private static final int OS_ID = 1;
  private static final int JAVA_NAME = 2;
  private static final int JAVA_ID = 3;
  private static final int VIRTUAL = 4;

  private final TypeWriter event;
  public final TypeWriter stackTrace;
  private final TypeWriter frame;
  public final TypeWriter method;
  public final TypeWriter type;
  public final TypeWriter packages;
  public final TypeWriter symbol;
  public final TypeWriter thread;
  public final TypeWriter frameType;
  public final TypeWriter threadState;
  public final long stringId;

  /**
   * Finds the types.
   *
   * @throws IOException if one is missing, or has another layout than in any JDK known
   */
  public TraceLayout(Metadata metadata) throws IOException {
    event =
        new TypeWriter(
            metadata,
            EXECUTION_SAMPLE,
            needed("startTime", Holds.NUMBER, "long"),
            needed("sampledThread", Holds.KEY, THREAD),
            needed("stackTrace", Holds.KEY, STACK_TRACE),
            needed("state", Holds.KEY, THREAD_STATE));
    if (!event.isFirst(TIME)) {
      throw new IOException("its type " + EXECUTION_SAMPLE + " does not begin with a start time");
    }
    stackTrace =
        new TypeWriter(
            metadata,
            STACK_TRACE,
            needed("truncated", Holds.FLAG, null),
            needed("frames", Holds.VALUES, STACK_FRAME));
    frame =
        new TypeWriter(
            metadata,
            STACK_FRAME,
            needed("method", Holds.KEY, METHOD),
            needed("lineNumber", Holds.NUMBER, null),
            needed("bytecodeIndex", Holds.NUMBER, null),
            needed("type", Holds.KEY, FRAME_TYPE));
    method =
        new TypeWriter(
            metadata,
            METHOD,
            needed("type", Holds.KEY, CLASS),
            needed("name", Holds.KEY, SYMBOL),
            needed("descriptor", Holds.KEY, SYMBOL),
            needed("modifiers", Holds.NUMBER, null),
            needed("hidden", Holds.FLAG, null));
    type =
        new TypeWriter(
            metadata,
            CLASS,
            needed("name", Holds.KEY, SYMBOL),
            needed("package", Holds.KEY, PACKAGE),
            optional("modifiers", Holds.NUMBER, null),
            optional("hidden", Holds.FLAG, null));
    packages = new TypeWriter(metadata, PACKAGE, needed("name", Holds.KEY, SYMBOL));
    symbol = new TypeWriter(metadata, SYMBOL, needed("string", Holds.TEXT, STRING));
    thread =
        new TypeWriter(
            metadata,
            THREAD,
            needed("osName", Holds.TEXT, STRING),
            needed("osThreadId", Holds.NUMBER, null),
            needed("javaName", Holds.TEXT, STRING),
            needed("javaThreadId", Holds.NUMBER, null),
            optional("virtual", Holds.FLAG, null));
    frameType = new TypeWriter(metadata, FRAME_TYPE, needed("description", Holds.TEXT, STRING));
    threadState = new TypeWriter(metadata, THREAD_STATE, needed("name", Holds.TEXT, STRING));
    stringId = metadata.idOf(STRING);
  }

  /** Writes a sample, without its size. */
  public void event(EncodedBytes out, long ticks, long threadKey, long traceKey, long state)
      throws IOException {
    out.number(event.id());
    event.set(TIME, ticks).set(SAMPLED_THREAD, threadKey).set(TRACE, traceKey).set(STATE, state);
    event.write(out);
  }

  /**
   * Writes a stack behind its key.
   *
   * @param frames their number, then each of {@link #frame}, the innermost first
   */
  public void trace(EncodedBytes out, boolean isTruncated, EncodedBytes frames) throws IOException {
    stackTrace.set(TRUNCATED, isTruncated ? 1 : 0).set(frames).write(out);
  }

  /** Writes a frame of a stack. */
  public void frame(EncodedBytes out, long methodKey, int line, int bytecodeIndex, long typeKey)
      throws IOException {
    frame.set(FRAME_METHOD, methodKey).set(LINE, Math.max(0, line));
    frame.set(BYTECODE_INDEX, bytecodeIndex).set(FRAME_TYPE_KEY, typeKey).write(out);
  }

  /** Writes a thread behind its key. */
  public void thread(EncodedBytes out, StackThread of) throws IOException {
    boolean isJava = of.javaId() != 0;
    thread.set(OS_NAME, of.text()).set(OS_ID, of.osThreadId());
    thread.set(JAVA_NAME, isJava ? of.text() : null).set(JAVA_ID, of.javaId());
    thread.set(VIRTUAL, of.isVirtual() ? 1 : 0).write(out);
  }

  /** Writes a method behind its key. */
  public void method(EncodedBytes out, WovenNames.Method of) throws IOException {
    method.set(METHOD_CLASS, of.type.key).set(NAME, of.name.key);
    method.set(DESCRIPTOR, of.descriptor.key).set(METHOD_MODIFIERS, of.modifiers).write(out);
  }

  /** Writes a class behind its key. */
  public void type(EncodedBytes out, WovenNames.Name of) throws IOException {
    type.set(CLASS_NAME, of.symbol.key);
    type.set(CLASS_PACKAGE, of.packageName == null ? 0 : of.packageName.key).write(out);
  }

  /** Writes a package behind its key. */
  public void packageName(EncodedBytes out, WovenNames.Name of) throws IOException {
    packages.set(ONLY, of.symbol.key).write(out);
  }

  /** Writes a symbol behind its key. */
  public void symbol(EncodedBytes out, WovenNames.Name of) throws IOException {
    symbol.set(ONLY, of.text).write(out);
  }
}
