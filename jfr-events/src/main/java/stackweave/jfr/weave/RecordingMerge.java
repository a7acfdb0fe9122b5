package stackweave.jfr.weave;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventWalk;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.read.ChunkSamples;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.weave.format.FileIds;
import stackweave.jfr.weave.format.HeaderBytes;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.WeaveException;
import stackweave.jfr.weave.format.WovenMark;

/**
 * Makes one recording of one or many, in which the samples are {@code jdk.ExecutionSample} events
 * with stack traces, as all tools read them. Inputs are only read. In memory are what one chunk
 * defines, and some facts of each chunk. Used once; not thread-safe.
 */
public final class RecordingMerge {
  /** What is woven into a chunk is kept up to here; above it, it is made twice. */
  private static final int KEPT_BYTES = 16 << 20;

  private static final int BUFFER_BYTES = 1 << 17;
  private static final String NATIVE_SAMPLE = "jdk.NativeMethodSample";
  private static final double PERCENT = 100;

  private final MergeOptions options;
  private final ReadingProgress progress;
  private final MergePlan plan;
  private final FileIds ids = new FileIds();

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
            .flatMap(jvm -> jvm.chunks().stream())
            .mapToLong(chunk -> chunk.header().size())
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
    return jvm.hasSamples() || jvm.chunks().stream().anyMatch(chunk -> chunk.mark() != null);
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
    Destination out = new Destination(new BufferedOutputStream(destination, BUFFER_BYTES));
    ChunkSource source = null;
    ChunkScan before = null;
    JvmChunks ofBefore = null;
    try {
      for (JvmChunks jvm : plan.jvms()) {
        for (int number = 0; number < jvm.chunks().size(); number++) {
          ChunkScan chunk = jvm.chunks().get(number);
          if (isLeftOut(jvm, chunk)) {
            continue;
          }
          if (before == null || before.input() != chunk.input()) {
            close(source);
            source = open(chunk);
          }
          if (before != null && mustSeparate(ofBefore, before, jvm, chunk)) {
            separate(before, chunk, out);
          }
          write(jvm, number, source, out);
          before = chunk;
          ofBefore = jvm;
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
    return new RecordingException(plan.file(chunk) + what + MergePlan.oneLine(e), e);
  }

  private boolean isLeftOut(JvmChunks jvm, ChunkScan chunk) {
    return options.only()
        && chunk.mark() == null
        && (chunk.samples() == 0 || plan.isWoven(jvm, chunk));
  }

  /** Whether the JDK's readers could take something of one chunk for another's. */
  private boolean mustSeparate(JvmChunks jvm, ChunkScan chunk, JvmChunks nextJvm, ChunkScan next) {
    boolean isOneJvm = jvm == nextJvm && jvm.isCertain();
    boolean isWoven = chunk.mark() != null;
    boolean hasKeys = hasKeys(jvm, chunk);
    boolean nextHasKeys = hasKeys(nextJvm, next);
    // What was woven by another run has keys that are given anew in this one.
    boolean isOneRun =
        !hasKeys
            || !nextHasKeys
            || isWoven == (next.mark() != null) && (!isWoven || chunk.input() == next.input());
    return !isOneJvm || !isOneRun || next.isSeparated();
  }

  /** Whether a chunk of the output has woven constants. */
  private boolean hasKeys(JvmChunks jvm, ChunkScan chunk) {
    return chunk.mark() != null || chunk.samples() > 0 && !plan.isWoven(jvm, chunk);
  }

  private static void separate(ChunkScan before, ChunkScan chunk, OutputStream out)
      throws IOException {
    long startNanos = chunk.header().startNanos() - 1;
    if (startNanos == before.header().startNanos()) {
      startNanos = chunk.header().startNanos() + 1;
    }
    Separator.before(chunk.header(), startNanos).writeTo(out);
  }

  private void write(JvmChunks jvm, int number, ChunkSource source, Destination out)
      throws IOException, RecordingException {
    ChunkScan chunk = jvm.chunks().get(number);
    chunks++;
    boolean wasWoven = plan.isWoven(jvm, chunk);
    woven += chunk.mark() != null ? 1 : 0;
    try {
      if (chunk.samples() > 0 && (!wasWoven || options.only())) {
        weave(jvm, number, source, out);
      } else {
        ChunkHeader header = chunk.header();
        long position = header.position();
        writeHeader(
            source,
            header,
            header.size(),
            header.checkpoint() - position,
            header.metadata() - position,
            out);
        if (chunk.mark() != null) {
          source.copy(position + ChunkHeader.BYTES, header.end(), out);
        } else {
          copyEvents(jvm, source, header, out);
        }
      }
    } catch (IOException e) {
      if (out.hasFailed) {
        throw e;
      }
      throw failed(chunk, e);
    }
    bytes += chunk.header().size();
    progress.read(bytes, Math.max(bytes, total), samples);
  }

  private void weave(JvmChunks jvm, int number, ChunkSource source, OutputStream out)
      throws IOException, RecordingException {
    ChunkScan chunk = jvm.chunks().get(number);
    ChunkHeader header = chunk.header();
    long origin = header.position();
    String session = WovenMark.canHold(chunk.session()) ? chunk.session() : "";
    WovenMark mark = new WovenMark(header.startNanos(), chunk.originalSize(), session);
    ChunkWeaver weaver =
        new ChunkWeaver(
            source,
            header,
            before(jvm, number),
            new ChunkWeaver.Settings(options, mark, jvm.weightUnit()),
            ids);
    long position = options.only() ? ChunkHeader.BYTES : header.size();
    long last = options.only() ? 0 : header.checkpoint() - origin;
    Measured measured = new Measured();
    final long checkpoint = weaver.write(measured, position, last);
    long end = position + measured.count;
    if (options.only()) {
      long metadata = end;
      long metadataSize = metadataSize(source, header);
      writeHeader(source, header, end + metadataSize, checkpoint, metadata, out);
      put(weaver, measured, position, last, out);
      source.copy(header.metadata(), header.metadata() + metadataSize, out);
    } else {
      writeHeader(source, header, end, checkpoint, header.metadata() - origin, out);
      copyEvents(jvm, source, header, out);
      put(weaver, measured, position, last, out);
    }
    samples += chunk.samples();
    events += weaver.events();
  }

  private static void put(
      ChunkWeaver weaver, Measured measured, long position, long last, OutputStream out)
      throws IOException {
    if (measured.kept != null) {
      measured.kept.writeTo(out);
    } else {
      weaver.write(out, position, last);
    }
  }

  private static long metadataSize(ChunkSource source, ChunkHeader header) throws IOException {
    EventWalk walk = new EventWalk(source, header, header.metadata());
    if (!walk.next()) {
      throw new IOException("at " + header.metadata() + " are no metadata");
    }
    return walk.end() - header.metadata();
  }

  /** The chunks of the same session in the same file before a chunk, the latest first. */
  private List<ChunkHeader> before(JvmChunks jvm, int number) {
    ChunkScan chunk = jvm.chunks().get(number);
    List<ChunkHeader> before = new ArrayList<>();
    List<ChunkScan> all = jvm.chunks();
    for (int i = number - 1; i >= 0 && before.size() < ChunkSamples.MOST_BEFORE; i--) {
      ChunkScan each = all.get(i);
      if (each.input() == chunk.input() && each.session().equals(chunk.session())) {
        before.add(each.header());
      }
    }
    return before;
  }

  private static void writeHeader(
      ChunkSource source,
      ChunkHeader header,
      long size,
      long checkpoint,
      long metadata,
      OutputStream out)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(ChunkHeader.BYTES);
    source.copy(header.position(), header.position() + ChunkHeader.BYTES, bytes);
    byte[] changed = bytes.toByteArray();
    HeaderBytes.change(changed, size, checkpoint, metadata);
    out.write(changed);
  }

  /**
   * Copies all events as they are. JFR's own samples that ours stand for get the type of metadata,
   * which readers pass over wherever the header does not point to it; nothing moves.
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
  private static long sampleType(Metadata metadata, String name) throws IOException {
    for (int i = 0; i < metadata.count(); i++) {
      if (metadata.at(i).name().equals(name)
          && !metadata.at(i).fields().isEmpty()
          && metadata.at(i).fields().get(0).name().equals("startTime")) {
        return metadata.id(i);
      }
    }
    return -1;
  }

  private MergeReport report() {
    List<String> notes = new ArrayList<>();
    WeightSpread weights = new WeightSpread();
    plan.jvms().forEach(jvm -> weights.addAll(jvm.weights()));
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

  /** Tells errors of writing from those of reading. */
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

  /** Counts bytes, and keeps them if they are not too many. */
  private static final class Measured extends OutputStream {
    private long count;
    private ByteArrayOutputStream kept = new ByteArrayOutputStream();

    @Override
    public void write(byte[] bytes, int from, int more) {
      count += more;
      if (count > KEPT_BYTES) {
        kept = null;
      } else if (kept != null) {
        kept.write(bytes, from, more);
      }
    }

    @Override
    public void write(int value) {
      write(new byte[] {(byte) value}, 0, 1);
    }
  }
}
