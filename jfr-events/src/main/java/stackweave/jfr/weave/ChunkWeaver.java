package stackweave.jfr.weave;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.ConstantPools;
import stackweave.jfr.read.ChunkSamples;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.weave.format.EncodedBytes;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.TraceFrame;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.TypeWriter;
import stackweave.jfr.weave.format.WeaveException;
import stackweave.jfr.weave.format.WovenMark;
import stackweave.jfr.weave.format.WovenNames;
import stackweave.unwind.hash.LongIndex;

/**
 * Makes of the samples of one chunk what is written behind its events: a {@code
 * jdk.ExecutionSample} for each, then the constants that these refer to. Events come first: the
 * JDK's {@code jfr scrub} drops constants that no event before them needs. The same bytes come at
 * each {@link #write}. In memory are the definitions of the chunk and keys, not what is written.
 * Not thread-safe.
 */
final class ChunkWeaver {
  /** Rounds of samples by their weight are random, and the same each time. */
  private static final long SEED = 0x5745_4156_4552L;

  /** A sample that claims to stand for more than so many others is damaged. */
  private static final int MOST_REPEATS = 10_000;

  /** Of the options and of the JVM, what holds for a chunk. */
  record Settings(MergeOptions options, WovenMark mark, long weightUnit) {}

  /** Keys of stack traces by the sample's stack. */
  private static final class Traces {
    private final LongIndex stacks = new LongIndex();
    private long[] keys = new long[1_024];

    long key(long stackId, FileIds ids) throws WeaveException {
      int index = stacks.add(stackId);
      if (index == keys.length) {
        keys = Arrays.copyOf(keys, 2 * index);
      }
      if (keys[index] == 0) {
        keys[index] = ids.trace();
      }
      return keys[index];
    }
  }

  private final ChunkSource source;
  private final ChunkHeader header;
  private final Settings settings;
  private final FileIds ids;
  private final TraceLayout layout;
  private final ChunkConstants constants;
  private final ChunkSamples samples;
  private final long state;

  /** Whether readers come to the woven constants after all others, which are copied for that. */
  private final boolean isFirstInChain;

  private final String stateName;

  private final Traces whole = new Traces();
  private final Traces truncated = new Traces();

  /** Of samples without a frame, by the text that stands there. */
  private final Map<String, Long> placeholders = new LinkedHashMap<>();

  /** By method, for each kind of frame. */
  private final Map<String, Map<SampledMethod, WovenNames.Method>> methods = new HashMap<>();

  private final WovenNames names;
  private final LongIndex threads = new LongIndex();
  private final List<Long> threadKeys = new ArrayList<>();
  private final long markKey;

  private final EncodedBytes event = new EncodedBytes(64);
  private final EncodedBytes eventSize = new EncodedBytes(16);
  private final EncodedBytes frames = new EncodedBytes(1 << 12);
  private final List<SampledFrame> stack = new ArrayList<>();
  private long events;
  private long eventBytes;

  /**
   * Reads what a chunk defines.
   *
   * @param source stays open as long as this is used
   * @param before earlier chunks of its session, the latest first
   * @throws WeaveException if samples can't be woven into this chunk
   * @throws IOException if the chunk is damaged
   */
  ChunkWeaver(
      ChunkSource source,
      ChunkHeader header,
      List<ChunkHeader> before,
      Settings settings,
      FileIds ids)
      throws IOException, RecordingException {
    this.source = source;
    this.header = header;
    this.settings = settings;
    this.ids = ids;
    this.names = new WovenNames(ids);
    try {
      this.layout = new TraceLayout(source.metadata(header));
    } catch (IOException e) {
      throw new WeaveException(
          "JFR's stack traces are laid out as in no JDK known here: " + e.getMessage(), e);
    }
    this.constants = new ChunkConstants(source, header);
    this.samples = ChunkSamples.of(source, header, before);
    this.stateName =
        settings.options().isStateDefault() ? ChunkConstants.DEFAULT : TraceLayout.RUNNABLE;
    constants.addState(stateName);
    this.state = constants.states().get(stateName);
    // jfr-converter takes of all pools of states, or of types of frames, the one that it meets
    // last. It does not need ours, but for a state that it must find there.
    this.isFirstInChain = !settings.options().only() && constants.isNewState(stateName);
    this.markKey = ids.text();
  }

  /**
   * Writes events and constants.
   *
   * @param position where in the chunk they will be
   * @param checkpoint where in the chunk its last checkpoint is until now; 0 for none
   * @return where in the chunk its last checkpoint is now
   */
  long write(OutputStream out, long position, long checkpoint) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED ^ header.startNanos());
    events = 0;
    eventBytes = 0;
    samples.forEach(
        (ticks, pooledThread, threadKey, stackId, end, weight) -> {
          encode(ticks, thread(pooledThread, threadKey), trace(stackId, end));
          for (int count = repeats(weight, random); count > 0; count--) {
            eventSize.writeTo(out);
            event.writeTo(out);
            events++;
            eventBytes += eventSize.size() + event.size();
          }
        });
    CheckpointWriter pools =
        new CheckpointWriter(
            out, header.startTicks(), position + eventBytes, isFirstInChain ? 0 : checkpoint);
    writeTraces(pools);
    writeMethods(pools);
    writeNames(pools);
    writeThreads(pools);
    pools.end();
    if (isFirstInChain) {
      List<long[]> bodies = ConstantPools.bodies(source, header);
      for (int i = bodies.size() - 1; i >= 0; i--) {
        pools.copy(source, bodies.get(i)[0], bodies.get(i)[1]);
      }
    }
    // By themselves, so that the mark is found without reading the others. And readers come to
    // these types first: jfr-converter, which keeps the pool that it meets last, leaves out the
    // class of native methods if it knows the type Kernel.
    pools.begin(layout.frameType.id());
    for (TraceFrame.Type type : constants.missing()) {
      write(Map.of(type.description(), constants.key(type)), layout.frameType, pools);
    }
    pools.begin(layout.stringId);
    pools.key(markKey).text(settings.mark().text());
    pools.end();
    return pools.last();
  }

  /** The events that were written last. */
  long events() {
    return events;
  }

  // ---- events

  private void encode(long ticks, long thread, long trace) throws IOException {
    event.clear();
    layout.event(event, ticks, thread, trace, state);
    eventSize.clear();
    eventSize.sizeWithItself(event.size());
  }

  private int repeats(long weight, SplittableRandom random) {
    if (!settings.options().byWeight()) {
      return 1;
    }
    double times = Math.max(0, weight) / (double) settings.weightUnit();
    return (int) Math.min(MOST_REPEATS, Math.floor(times + random.nextDouble()));
  }

  private long thread(long pooledThread, long threadKey) throws WeaveException {
    if (!settings.options().only() && constants.hasThread(pooledThread)) {
      return pooledThread;
    }
    int index = threads.add(threadKey);
    if (index == threadKeys.size()) {
      threadKeys.add(ids.thread());
    }
    return threadKeys.get(index);
  }

  private long trace(long stackId, StackEnd end) throws WeaveException {
    if (samples.hasFrames(stackId)) {
      return (end.isComplete() ? whole : truncated).key(stackId, ids);
    }
    String text = end.marker(0).orElse("[" + end.label() + "]");
    Long key = placeholders.get(text);
    if (key == null) {
      key = ids.trace();
      placeholders.put(text, key);
    }
    return key;
  }

  // ---- constants

  private void writeTraces(CheckpointWriter pools) throws IOException {
    pools.begin(layout.stackTrace.id());
    write(whole, false, pools);
    write(truncated, true, pools);
    for (Map.Entry<String, Long> each : placeholders.entrySet()) {
      frames.clear();
      frames.number(1);
      frame(names.of(TraceFrame.placeholder(each.getKey())), 0, 0, TraceFrame.Type.NATIVE);
      layout.trace(pools.key(each.getValue()), true, frames);
    }
  }

  private void write(Traces traces, boolean isTruncated, CheckpointWriter pools)
      throws IOException {
    for (int i = 0; i < traces.stacks.count(); i++) {
      samples.frames(traces.stacks.key(i), stack);
      frames.clear();
      frames.number(stack.size());
      for (int j = stack.size() - 1; j >= 0; j--) {
        SampledFrame frame = stack.get(j);
        boolean isJava = !frame.method().className().isEmpty();
        frame(
            method(frame),
            frame.line(),
            isJava ? Math.max(0, (int) frame.offset()) : 0,
            TraceFrame.type(frame));
      }
      layout.trace(pools.key(traces.keys[i]), isTruncated, frames);
    }
  }

  private void frame(WovenNames.Method method, int line, int index, TraceFrame.Type type)
      throws IOException {
    layout.frame(frames, method.key, line, index, constants.key(type));
  }

  private WovenNames.Method method(SampledFrame frame) {
    Map<SampledMethod, WovenNames.Method> ofKind =
        methods.computeIfAbsent(frame.kind(), kind -> new IdentityHashMap<>());
    WovenNames.Method known = ofKind.get(frame.method());
    if (known == null) {
      known = names.of(TraceFrame.of(frame));
      ofKind.put(frame.method(), known);
    }
    return known;
  }

  private void writeMethods(CheckpointWriter pools) throws IOException {
    pools.begin(layout.method.id());
    for (WovenNames.Method each : names.methods()) {
      layout.method(pools.key(each.key), each);
    }
  }

  private void writeNames(CheckpointWriter pools) throws IOException {
    pools.begin(layout.type.id());
    for (WovenNames.Name each : names.classes()) {
      layout.type(pools.key(each.key), each);
    }
    pools.begin(layout.packages.id());
    for (WovenNames.Name each : names.packages()) {
      layout.packageName(pools.key(each.key), each);
    }
    pools.begin(layout.symbol.id());
    for (WovenNames.Name each : names.symbols()) {
      layout.symbol(pools.key(each.key), each);
    }
  }

  private void writeThreads(CheckpointWriter pools) throws IOException {
    pools.begin(layout.thread.id());
    for (int i = 0; i < threadKeys.size(); i++) {
      layout.thread(pools.key(threadKeys.get(i)), samples.thread(threads.key(i)));
    }
    if (settings.options().only()) {
      pools.begin(layout.frameType.id());
      write(constants.frameTypesOfChunk(), layout.frameType, pools);
    }
    if (settings.options().only() || constants.isNewState(stateName)) {
      pools.begin(layout.threadState.id());
      write(constants.states(), layout.threadState, pools);
    }
  }

  private static void write(Map<String, Long> keys, TypeWriter type, CheckpointWriter pools)
      throws IOException {
    for (Map.Entry<String, Long> each : keys.entrySet()) {
      type.set(TraceLayout.ONLY, each.getKey()).write(pools.key(each.getValue()));
    }
  }
}
