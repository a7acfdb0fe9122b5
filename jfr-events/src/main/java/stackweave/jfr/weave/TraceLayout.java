package stackweave.jfr.weave;

import static stackweave.jfr.weave.TypeWriter.Known.needed;
import static stackweave.jfr.weave.TypeWriter.Known.optional;

import java.io.IOException;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.weave.TypeWriter.Holds;

/**
 * The types of a chunk that stack traces are made of, each as the chunk's own metadata lay it out.
 * The constants are the places of their fields. Not thread-safe.
 */
final class TraceLayout {
  static final String EXECUTION_SAMPLE = "jdk.ExecutionSample";
  static final String STACK_TRACE = "jdk.types.StackTrace";
  static final String METHOD = "jdk.types.Method";
  static final String CLASS = "java.lang.Class";
  static final String PACKAGE = "jdk.types.Package";
  static final String SYMBOL = "jdk.types.Symbol";
  static final String THREAD = "java.lang.Thread";
  static final String FRAME_TYPE = "jdk.types.FrameType";
  static final String THREAD_STATE = "jdk.types.ThreadState";
  static final String STRING = "java.lang.String";
  private static final String STACK_FRAME = "jdk.types.StackFrame";

  static final int TIME = 0;
  static final int SAMPLED_THREAD = 1;
  static final int TRACE = 2;
  static final int STATE = 3;

  static final int TRUNCATED = 0;

  static final int FRAME_METHOD = 0;
  static final int LINE = 1;
  static final int BYTECODE_INDEX = 2;
  static final int FRAME_TYPE_KEY = 3;

  static final int METHOD_CLASS = 0;
  static final int NAME = 1;
  static final int DESCRIPTOR = 2;
  static final int METHOD_MODIFIERS = 3;

  static final int CLASS_NAME = 0;
  static final int CLASS_PACKAGE = 1;
  static final int CLASS_MODIFIERS = 2;

  /** Of types with one known field. */
  static final int ONLY = 0;

  static final int OS_NAME = 0;
  static final int OS_ID = 1;
  static final int JAVA_NAME = 2;
  static final int JAVA_ID = 3;
  static final int VIRTUAL = 4;

  final TypeWriter event;
  final TypeWriter stackTrace;
  final TypeWriter frame;
  final TypeWriter method;
  final TypeWriter type;
  final TypeWriter packages;
  final TypeWriter symbol;
  final TypeWriter thread;
  final TypeWriter frameType;
  final TypeWriter threadState;
  final long stringId;

  /**
   * Finds the types.
   *
   * @throws IOException if one is missing, or has another layout than in any JDK known
   */
  TraceLayout(Metadata metadata) throws IOException {
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
