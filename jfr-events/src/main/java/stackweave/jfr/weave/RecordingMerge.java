package stackweave.jfr.weave;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventWalk;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.chunk.ValueType;
import stackweave.jfr.read.ChunkList;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.weave.format.EventFile;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.HeaderBytes;
import stackweave.jfr.weave.format.Separator;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.WeaveException;
import stackweave.jfr.weave.format.WovenMark;

/**
 * Makes one recording of one or many, in which the samples are {@code jdk.ExecutionSample} events
 * with stack traces, as all tools read them. Inputs are only read. Holds the definitions of one
 * chunk, and some facts of each chunk, in memory. Used once; not thread-safe.
 */
public final class RecordingMerge {
  private static final int BUFFER_BYTES = 1 << 17;
  private static final String NATIVE_SAMPLE = "jdk.NativeMethodSample";
  private static final double PERCENT = 100;

  /** Stands for chunks without woven constants. */
  private static final int NO_KEYS = -2;

  /** Stands for chunks that are woven now. */
  private static final int NEW_KEYS = -1;

  private final MergeOptions options;
  private final ReadingProgress progress;
  private final MergePlan plan;
  private final FileIds ids = new FileIds();

  /** The chunk that was written last, its JVM, and when it or what is woven of it begins. */
  private ChunkScan last;

  private JvmChunks lastJvm;
  private long lastStart;

  /** Origin of the woven constants that a reader may still have: see {@link #keysOf}. */
  private int lastKeys = NO_KEYS;

  /** See {@link #jfrTypes()}; null until they are needed. */
  private Metadata jfrTypes;

  private final long total;
  private int chunks;
  private int woven;
  private long samples;
  private long events;
  private long jdkSamples;
  private long bytes;

  private RecordingMerge(MergePlan plan, MergeOptions options, ReadingProgress progress) {
    this.plan = plan;
    this.options = options;
    this.progress = progress;
    this.total =
        plan.jvms().stream()
            .flatMap(jvm -> jvm.chunks.stream())
            .mapToLong(chunk -> chunk.header.size())
            .sum();
  }

  /**
   * Reads the inputs, and decides what comes into the output.
   *
   * @param progress is told how far it is, of each input and then of the output
   * @throws RecordingException if they can't be read, or can't be one recording: one line, for
   *     people
   */
  public static RecordingMerge of(
      List<Path> recordings, MergeOptions options, ReadingProgress progress)
      throws RecordingException {
    MergePlan plan = MergePlan.of(recordings, progress);
    if (options.only() && plan.jvms().stream().noneMatch(RecordingMerge::hasAny)) {
      throw new RecordingException(
          recordings.get(0) + ": holds no samples of Stackweave, and nothing else is asked for");
    }
    return new RecordingMerge(plan, options, progress);
  }

  private static boolean hasAny(JvmChunks jvm) {
    return jvm.hasSamples() || jvm.chunks.stream().anyMatch(chunk -> chunk.mark != null);
  }

  /** What of the inputs can't be read, one line each. */
  public List<String> losses() {
    return List.copyOf(plan.losses());
  }

  /**
   * Writes the recording.
   *
   * @return what became of the inputs
   * @throws IOException if it can't be written
   * @throws RecordingException if an input can't be read any more, or its layout is unknown: one
   *     line, for people
   */
  public MergeReport writeTo(OutputStream destination) throws IOException, RecordingException {
    Destination checked = new Destination(new BufferedOutputStream(destination, BUFFER_BYTES));
    DataOutputStream out = new DataOutputStream(checked);
    ChunkSource source = null;
    try {
      for (JvmChunks jvm : plan.jvms()) {
        for (ChunkScan chunk : jvm.chunks) {
          if (isLeftOut(jvm, chunk)) {
            continue;
          }
          if (last == null || last.input != chunk.input) {
            close(source);
            source = open(chunk);
          }
          separate(jvm, chunk, out);
          try {
            write(jvm, chunk, source, out);
          } catch (IOException e) {
            if (checked.hasFailed) {
              throw e;
            }
            throw failed(chunk, e);
          }
          last = chunk;
          lastJvm = jvm;
        }
      }
    } finally {
      close(source);
    }
    out.flush();
    return report();
  }

  private static void close(ChunkSource source) throws IOException {
    if (source != null) {
      source.close();
    }
  }

  private ChunkSource open(ChunkScan chunk) throws RecordingException {
    try {
      return new ChunkSource(plan.file(chunk));
    } catch (IOException e) {
      throw failed(chunk, e);
    }
  }

  private RecordingException failed(ChunkScan chunk, IOException e) {
    String what =
        e instanceof WeaveException ? ": its samples can't be woven: " : ": can't be read: ";
    return new RecordingException(plan.file(chunk) + what + ChunkList.oneLine(e), e);
  }

  private boolean isLeftOut(JvmChunks jvm, ChunkScan chunk) {
    return options.only() && chunk.mark == null && (chunk.samples == 0 || plan.isWoven(jvm, chunk));
  }

  /** Whether a chunk's samples are woven now. */
  private boolean isWovenNow(JvmChunks jvm, ChunkScan chunk) {
    return chunk.samples > 0 && (options.only() || !plan.isWoven(jvm, chunk));
  }

  /** Who made the keys of a chunk's woven constants: this run, or an earlier one, by its file. */
  private int keysOf(JvmChunks jvm, ChunkScan chunk) {
    return isWovenNow(jvm, chunk) ? NEW_KEYS : chunk.mark != null ? chunk.input : NO_KEYS;
  }

  /**
   * Writes a separator before a chunk if the JDK's readers could mix up its types or constants with
   * those of earlier chunks: of other JVMs, or with keys of another run.
   */
  private void separate(JvmChunks jvm, ChunkScan chunk, DataOutput out) throws IOException {
    int keys = keysOf(jvm, chunk);
    boolean isOneJvm = lastJvm == jvm && jvm.isCertain;
    boolean isOneRun = lastKeys == NO_KEYS || keys == NO_KEYS || lastKeys == keys;
    if (last != null && (!isOneJvm || !isOneRun || chunk.isSeparated)) {
      long start = chunk.header.startNanos() - 1;
      Separator.before(chunk.header, start == lastStart ? start - 1 : start).writeTo(out);
      lastKeys = NO_KEYS;
    }
    lastKeys = keys == NO_KEYS ? lastKeys : keys;
  }

  private void write(JvmChunks jvm, ChunkScan chunk, ChunkSource source, DataOutputStream out)
      throws IOException {
    chunks++;
    woven += chunk.mark != null ? 1 : 0;
    boolean isWovenNow = isWovenNow(jvm, chunk);
    // The first chunk of a file has the types of JFR's samples, if any chunk has them.
    boolean isWovenFirst = isWovenNow && last == null && !chunk.hasJfrTypes;
    if (isWovenFirst) {
      weave(jvm, chunk, source, out);
    }
    if (!isWovenNow || !options.only()) {
      copy(jvm, chunk, source, out);
    }
    if (isWovenNow && !isWovenFirst) {
      weave(jvm, chunk, source, out);
    }
    bytes += chunk.header.size();
    progress.read(bytes, Math.max(bytes, total), samples);
  }

  private void weave(JvmChunks jvm, ChunkScan chunk, ChunkSource source, DataOutput out)
      throws IOException {
    ChunkHeader header = chunk.header;
    String session = WovenMark.canHold(chunk.session) ? chunk.session : "";
    WovenMark mark = new WovenMark(header.startNanos(), header.size(), session);
    ChunkWeaver weaver =
        new ChunkWeaver(
            source,
            header,
            new ChunkWeaver.Settings(options, mark, jvm.weightUnit(), chunk.durationNanos()),
            chunk.hasJfrTypes ? source.metadata(header) : jfrTypes(),
            ids);
    lastStart = weaver.writeTo(out);
    samples += chunk.samples;
    events += weaver.events();
  }

  /**
   * The types of JFR's samples for chunks that JFR did not write: of another chunk, since they must
   * be the same in a file; if there is none, those of this JVM.
   */
  private Metadata jfrTypes() throws IOException {
    if (jfrTypes == null) {
      ChunkScan chunk = plan.withJfrTypes();
      if (chunk == null) {
        jfrTypes = EventFile.jfrTypes();
      } else {
        try (ChunkSource source = new ChunkSource(plan.file(chunk))) {
          jfrTypes = source.metadata(chunk.header);
        }
      }
    }
    return jfrTypes;
  }

  private void copy(JvmChunks jvm, ChunkScan chunk, ChunkSource source, DataOutputStream out)
      throws IOException {
    ChunkHeader header = chunk.header;
    long begin = header.position() + ChunkHeader.BYTES;
    ByteArrayOutputStream copied = new ByteArrayOutputStream(ChunkHeader.BYTES);
    source.copy(header.position(), begin, copied);
    byte[] bytes = copied.toByteArray();
    HeaderBytes.finish(bytes);
    out.write(bytes);
    if (chunk.mark != null) {
      source.copy(begin, header.end(), out);
    } else {
      copyEvents(jvm, source, header, out);
    }
    lastStart = header.startNanos();
  }

  /**
   * Copies all events as they are. JFR's own samples that woven ones replace get the type of
   * metadata events, which readers skip unless the header points to them; so no position changes.
   */
  private void copyEvents(JvmChunks jvm, ChunkSource source, ChunkHeader header, OutputStream out)
      throws IOException {
    long done = header.position() + ChunkHeader.BYTES;
    Metadata metadata = source.metadata(header);
    long execution = sampleType(metadata, TraceLayout.EXECUTION_SAMPLE);
    long inNative = sampleType(metadata, NATIVE_SAMPLE);
    boolean keepsAll =
        options.keepsJdkSamples() || !jvm.hasSamples() || execution < 0 && inNative < 0;
    EventWalk walk = new EventWalk(source, header);
    while (!keepsAll && walk.next()) {
      boolean isSample = walk.type() == execution || walk.type() == inNative;
      if (isSample && jvm.isSampledAt(header.nanosAt(walk.firstNumber()))) {
        source.copy(done, walk.typeAt(), out);
        for (long at = walk.typeAt(); at < walk.valuesAt(); at++) {
          out.write(at < walk.valuesAt() - 1 ? 0x80 : 0);
        }
        done = walk.valuesAt();
        jdkSamples++;
      }
    }
    source.copy(done, header.end(), out);
  }

  /**
   * The id of a type of JFR's samples; negative if the chunk has none that begins with its time.
   */
  private static long sampleType(Metadata metadata, String name) {
    for (Map.Entry<Long, ValueType> each : metadata.types().entrySet()) {
      List<ValueType.Field> fields = each.getValue().fields();
      if (each.getValue().name().equals(name)
          && !fields.isEmpty()
          && fields.get(0).name().equals("startTime")) {
        return each.getKey();
      }
    }
    return -1;
  }

  private MergeReport report() {
    List<String> notes = new ArrayList<>();
    WeightSpread weights = new WeightSpread();
    plan.jvms().forEach(jvm -> weights.addAll(jvm.weights));
    if (samples > 0 && weights.isWide() && !options.byWeight()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "samples stand for different CPU times: shares by number of events are off by up to"
                  + " %.1f %%; --by-weight repeats events",
              PERCENT * weights.countError()));
    }
    if (plan.jvms().size() > 1) {
      notes.add(
          "several JVMs are in one file: the jfr command of JDK 25 shows the times of all but the"
              + " first by the first one's clock; stacks and counts are right");
    }
    return new MergeReport(
        plan.jvms().size(),
        chunks,
        samples,
        events,
        woven,
        jdkSamples,
        plan.duplicates(),
        List.copyOf(notes));
  }

  /** Distinguishes errors of writing from those of reading. */
  private static final class Destination extends FilterOutputStream {
    private boolean hasFailed;

    Destination(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      try {
        out.write(bytes, from, count);
      } catch (IOException e) {
        hasFailed = true;
        throw e;
      }
    }

    @Override
    public void write(int value) throws IOException {
      try {
        out.write(value);
      } catch (IOException e) {
        hasFailed = true;
        throw e;
      }
    }
  }
}
