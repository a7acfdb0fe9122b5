package stackweave.jfr.weave.format;

import java.io.IOException;
import java.util.Set;
import stackweave.jfr.chunk.Metadata;

/**
 * What all woven chunks of a JVM have in common: the layout of its types, and the metadata of the
 * chunks that are appended to JFR's own. The layout is for the encoding thread only; the rest is
 * immutable.
 */
public final class WovenTypes {
  /** With JFR's samples in native code, of which there is none: tools ask for the type. */
  private static final Set<String> ROOTS =
      Set.of(
          TraceLayout.EXECUTION_SAMPLE,
          "jdk.NativeMethodSample",
          TraceLayout.STACK_TRACE,
          TraceLayout.METHOD,
          TraceLayout.CLASS,
          TraceLayout.PACKAGE,
          TraceLayout.SYMBOL,
          TraceLayout.THREAD,
          TraceLayout.FRAME_TYPE,
          TraceLayout.THREAD_STATE,
          TraceLayout.STRING);

  /** JFR's key of STATE_RUNNABLE, in all JDKs. */
  private static final int RUNNABLE = 5;

  /** A key that JFR uses for no state, and that fits into a byte, as readers require. */
  private static final int OTHER_STATE = 127;

  private static final int METADATA_TYPE = 0;

  final TraceLayout layout;

  /** The key of the state that all samples have. */
  final int state;

  private final EncodedBytes metadata;

  /** The pool of the types of frames that JFR has. */
  private final EncodedBytes jfrFrameTypes;

  /** The pool of the types of frames that JFR lacks. */
  private final EncodedBytes ownFrameTypes;

  private final EncodedBytes states = new EncodedBytes(64);

  /**
   * Reads a JVM's types.
   *
   * @param stateName the state that all samples have
   * @throws IOException if they are damaged, or laid out as in no JDK known
   */
  public WovenTypes(Metadata jvms, String stateName) throws IOException {
    layout = new TraceLayout(jvms);
    state = stateName.equals(TraceLayout.RUNNABLE) ? RUNNABLE : OTHER_STATE;
    metadata = PrunedMetadata.of(jvms, ROOTS);
    jfrFrameTypes = frameTypes(false);
    ownFrameTypes = frameTypes(true);
    states.number(layout.threadState.id());
    states.number(1);
    states.number(state);
    layout.threadState.set(TraceLayout.ONLY, stateName).write(states);
  }

  private EncodedBytes frameTypes(boolean own) throws IOException {
    EncodedBytes pool = new EncodedBytes(64);
    int count = 0;
    for (TraceFrame.Type type : TraceFrame.Type.values()) {
      if (type.isOwn() == own) {
        count++;
        pool.number(type.usualKey());
        layout.frameType.set(TraceLayout.ONLY, type.description()).write(pool);
      }
    }
    EncodedBytes all = new EncodedBytes(64);
    all.number(layout.frameType.id());
    all.number(count);
    all.append(pool);
    return all;
  }

  /** Appends the pools that a chunk has once, which are {@link #FIRST_POOLS}. */
  void appendFirst(EncodedBytes out) {
    out.append(states);
    out.append(jfrFrameTypes);
  }

  static final int FIRST_POOLS = 2;

  /**
   * Appends the pools of the last checkpoint, which are {@link #LAST_POOLS}: the mark, and the
   * types of frames that JFR lacks. jfr-converter goes from the last checkpoint to the first and
   * keeps the pool that it meets last, which must be of JFR's types.
   */
  void appendLast(EncodedBytes out, long markKey, WovenMark mark) {
    out.append(ownFrameTypes);
    out.number(layout.stringId);
    out.number(1);
    out.number(markKey);
    out.text(mark.text());
  }

  static final int LAST_POOLS = 2;

  /** Appends the metadata of a chunk. No other chunk in the file may have the same metadata id. */
  void appendMetadata(EncodedBytes out, long startTicks, long id) {
    appendMetadata(out, metadata, startTicks, id);
  }

  static void appendMetadata(EncodedBytes out, EncodedBytes metadata, long startTicks, long id) {
    EncodedBytes head = new EncodedBytes(32);
    head.number(METADATA_TYPE);
    head.number(startTicks);
    head.number(0); // duration
    head.number(id);
    out.paddedNumber(4 + head.size() + metadata.size());
    out.append(head);
    out.append(metadata);
  }
}
