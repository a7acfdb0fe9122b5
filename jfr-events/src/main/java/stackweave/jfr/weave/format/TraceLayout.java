package stackweave.jfr.weave.format;

import static stackweave.jfr.weave.format.TypeWriter.Known.needed;
import static stackweave.jfr.weave.format.TypeWriter.Known.optional;

import java.io.IOException;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.weave.format.TypeWriter.Holds;

/**
 * The types of a chunk that stack traces are made of, each as the chunk's own metadata lay it out.
 * The constants are the places of their fields. Not thread-safe.
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

  public static final int TIME = 0;
  public static final int SAMPLED_THREAD = 1;
  public static final int TRACE = 2;
  public static final int STATE = 3;

  public static final int TRUNCATED = 0;

  public static final int FRAME_METHOD = 0;
  public static final int LINE = 1;
  public static final int BYTECODE_INDEX = 2;
  public static final int FRAME_TYPE_KEY = 3;

  public static final int METHOD_CLASS = 0;
  public static final int NAME = 1;
  public static final int DESCRIPTOR = 2;
  public static final int METHOD_MODIFIERS = 3;

  public static final int CLASS_NAME = 0;
  public static final int CLASS_PACKAGE = 1;
  public static final int CLASS_MODIFIERS = 2;

  /** Of types with one known field. */
  public static final int ONLY = 0;

  public static final int OS_NAME = 0;
  public static final int OS_ID = 1;
  public static final int JAVA_NAME = 2;
  public static final int JAVA_ID = 3;
  public static final int VIRTUAL = 4;

  public final TypeWriter event;
  public final TypeWriter stackTrace;
  public final TypeWriter frame;
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
}
