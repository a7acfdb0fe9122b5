package stackweave.jfr.weave;

import java.io.IOException;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.ConstantPools;
import stackweave.jfr.chunk.ValueType;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.TraceFrame;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.WeaveException;
import stackweave.unwind.hash.LongIndex;

/**
 * What must be known of the constants of a chunk before others are added: which threads it defines,
 * how it numbers types of frames and states of threads, and that its keys are none of ours.
 */
final class ChunkConstants {
  static final String DEFAULT = "STATE_DEFAULT";

  /** JFR's key of STATE_RUNNABLE, in all JDKs. */
  private static final int USUAL_RUNNABLE = 5;

  /** Keys of frame types are read as one byte by other projects. */
  private static final int ONE_BYTE_KEYS = 128;

  private static final Set<String> WITH_TEXT =
      Set.of(TraceLayout.FRAME_TYPE, TraceLayout.THREAD_STATE);

  private final LongIndex threads = new LongIndex();
  private final Map<String, Long> frameTypes = new TreeMap<>();
  private final Map<String, Long> states = new TreeMap<>();

  /** The keys of one byte that are in use. */
  private final BitSet frameTypeKeys = new BitSet();

  private final BitSet stateKeys = new BitSet();
  private final Map<TraceFrame.Type, Long> keys = new EnumMap<>(TraceFrame.Type.class);
  private String newState;
  private final Set<TraceFrame.Type> missing = EnumSet.noneOf(TraceFrame.Type.class);

  /**
   * Reads a chunk's constants.
   *
   * @throws WeaveException if they have keys that would be given to woven ones, too
   * @throws IOException if they are damaged
   */
  ChunkConstants(ChunkSource source, ChunkHeader header) throws IOException {
    ConstantPools.read(source, header, WITH_TEXT, this::constant);
    for (TraceFrame.Type type : TraceFrame.Type.values()) {
      Long known = frameTypes.get(type.description());
      boolean isKnown = known != null && known >= 0 && known < ONE_BYTE_KEYS;
      if (isKnown) {
        keys.put(type, known);
      } else {
        missing.add(type);
      }
    }
    for (TraceFrame.Type type : missing) {
      keys.put(type, free(type.usualKey(), frameTypeKeys, TraceLayout.FRAME_TYPE));
    }
  }

  private void constant(ValueType type, long key, String text) throws WeaveException {
    switch (type.name()) {
      case TraceLayout.THREAD -> {
        mustBe(key < FileIds.FIRST_THREAD, type, key);
        threads.add(key);
      }
      case TraceLayout.STACK_TRACE -> mustBe(key < FileIds.FIRST_TRACE, type, key);
      case TraceLayout.METHOD ->
          mustBe(key >= FileIds.END_OF_SHORT_METHODS && key < FileIds.FIRST_LONG_METHOD, type, key);
      case TraceLayout.CLASS, TraceLayout.PACKAGE -> mustBe(key < FileIds.FIRST_NAME, type, key);
      case TraceLayout.SYMBOL -> mustBe(key < FileIds.FIRST_SYMBOL, type, key);
      case TraceLayout.STRING -> mustBe(key < FileIds.FIRST_TEXT, type, key);
      case TraceLayout.FRAME_TYPE -> put(key, text, frameTypes, frameTypeKeys);
      case TraceLayout.THREAD_STATE -> put(key, text, states, stateKeys);
      default -> {
        // No constant of this type is added.
      }
    }
  }

  private static void mustBe(boolean holds, ValueType type, long key) throws WeaveException {
    // 0 is no constant: JDKs write it where a value is null.
    if (key < 0 || !holds && key != 0) {
      throw new WeaveException(
          "JFR's own " + type.name() + " has the key " + key + ", which woven ones may have, too");
    }
  }

  private static void put(long key, String text, Map<String, Long> keys, BitSet used) {
    keys.putIfAbsent(text, key);
    if (key >= 0 && key < ONE_BYTE_KEYS) {
      used.set((int) key);
    }
  }

  /** Whether the chunk defines a thread. */
  boolean hasThread(long key) {
    return key != 0 && threads.find(key) >= 0;
  }

  /** Those types of frames that the chunk does not define. */
  Set<TraceFrame.Type> missing() {
    return missing;
  }

  /** The key of a type of frames; one that is free where the chunk does not define it. */
  long key(TraceFrame.Type type) {
    return keys.get(type);
  }

  /** Adds a state of threads, if the chunk does not define it. */
  void addState(String state) throws WeaveException {
    if (!states.containsKey(state)) {
      states.put(state, free(USUAL_RUNNABLE, stateKeys, TraceLayout.THREAD_STATE));
      newState = state;
    }
  }

  /** Whether a state of threads was added. */
  boolean isNewState(String state) {
    return state.equals(newState);
  }

  /** The states of threads with their keys. */
  Map<String, Long> states() {
    return states;
  }

  /** The types of frames that the chunk defines, with their keys. */
  Map<String, Long> frameTypesOfChunk() {
    return frameTypes;
  }

  private static long free(int usual, BitSet used, String what) throws WeaveException {
    int key = used.get(usual) ? used.previousClearBit(ONE_BYTE_KEYS - 1) : usual;
    if (key <= 0) {
      throw new WeaveException("it has more than a hundred constants of " + what);
    }
    used.set(key);
    return key;
  }
}
