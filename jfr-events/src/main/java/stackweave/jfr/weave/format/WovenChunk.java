package stackweave.jfr.weave.format;

import java.io.DataOutput;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import stackweave.jfr.chunk.ChunkHeader;

/**
 * The woven samples of one chunk while it is open, and then as a chunk of their own behind it. Used
 * by one thread at a time.
 */
public final class WovenChunk {
  /** Size at which it ends: the most that is appended at once, except for a single stack. */
  public static final int MAX_BYTES = 16 << 20;

  /** The shortest duration in ns that readers accept. */
  public static final long NO_DURATION = 1;

  /** The constants that samples need, each sort in a pool of its own. */
  enum Pool {
    STACK_TRACE,
    METHOD,
    CLASS,
    PACKAGE,
    SYMBOL,
    THREAD
  }

  /** The most bytes of events, or of constants, in memory, except for a single deep stack. */
  private static final int BUFFER_BYTES = 1 << 16;

  private static final int CHECKPOINT_TYPE = 1;
  private static final double NANOS_PER_SECOND = 1e9;

  private final WovenTypes types;
  private final List<Path> directories;
  private final long[] poolTypes;

  /** Events that are not in the file yet. */
  private final EncodedBytes events = new EncodedBytes(1_024);

  private final EncodedBytes[] pools = new EncodedBytes[Pool.values().length];
  private final int[] counts = new int[pools.length];
  private final EncodedBytes checkpoint = new EncodedBytes(1_024);

  /** Null until something is in it. */
  private WaitingBytes file;

  private final int number;

  private long samples;

  /** Bytes of all events, and of those in the file. */
  private long eventBytes;

  private long eventBytesInFile;

  /** Bytes of the checkpoints so far, and where among them the last one is. */
  private long checkpointBytes;

  private long lastCheckpoint;
  private boolean hasCheckpoint;

  /**
   * Makes one without samples.
   *
   * @param directories where its file is until it is written; empty to keep all in the heap
   * @param number its number in the process, by which constants note the last piece that has them
   */
  public WovenChunk(WovenTypes types, List<Path> directories, int number) {
    this.types = types;
    this.directories = directories;
    this.number = number;
    TraceLayout layout = types.layout;
    this.poolTypes =
        new long[] {
          layout.stackTrace.id(),
          layout.method.id(),
          layout.type.id(),
          layout.packages.id(),
          layout.symbol.id(),
          layout.thread.id()
        };
    for (int i = 0; i < pools.length; i++) {
      pools[i] = new EncodedBytes(1_024);
    }
  }

  /** Its number in the process. */
  public int number() {
    return number;
  }

  /** How many events it has. */
  public long samples() {
    return samples;
  }

  /** The bytes that it will have, except for some KB. */
  public long size() {
    return eventBytes + checkpointBytes + poolBytes();
  }

  private long poolBytes() {
    long bytes = 0;
    for (EncodedBytes pool : pools) {
      bytes += pool.size();
    }
    return bytes;
  }

  /** Adds a constant with this key; the caller appends its value to the result. */
  EncodedBytes constant(Pool pool, long key) {
    EncodedBytes bytes = pools[pool.ordinal()];
    counts[pool.ordinal()]++;
    bytes.number(key);
    return bytes;
  }

  /** Adds an event, whose constants were added before. */
  void event(EncodedBytes size, EncodedBytes event) throws IOException {
    events.append(size);
    events.append(event);
    eventBytes += size.size() + event.size();
    samples++;
    if (directories.isEmpty()) {
      return;
    }
    if (events.size() >= BUFFER_BYTES) {
      file().addEvents(events);
      eventBytesInFile = eventBytes;
      events.clear();
    }
    if (poolBytes() >= BUFFER_BYTES) {
      endCheckpoint();
      file().addConstants(checkpoint);
      checkpoint.clear();
    }
  }

  private WaitingBytes file() throws IOException {
    if (file == null) {
      file = WaitingBytes.in(directories);
    }
    return file;
  }

  /** Gives back its file, if it has one. */
  public void closeFile() {
    if (file != null) {
      try {
        file.close();
      } catch (IOException e) {
        // An unlinked file that is not needed any more.
      }
      file = null;
    }
  }

  private void endCheckpoint() {
    EncodedBytes body = new EncodedBytes(64);
    body.raw(0); // the type of an ordinary checkpoint
    int used = 0;
    for (int count : counts) {
      used += count > 0 ? 1 : 0;
    }
    body.number(used + (hasCheckpoint ? 0 : WovenTypes.FIRST_POOLS));
    if (!hasCheckpoint) {
      types.appendFirst(body);
    }
    checkpoint.clear();
    head(checkpoint, hasCheckpoint ? lastCheckpoint - checkpointBytes : 0, body);
    for (int i = 0; i < pools.length; i++) {
      if (counts[i] > 0) {
        checkpoint.number(poolTypes[i]);
        checkpoint.number(counts[i]);
        checkpoint.append(pools[i]);
        pools[i].clear();
        counts[i] = 0;
      }
    }
    // The size of the constants is known only now; padded, it has the same length whatever it is.
    checkpoint.setPaddedNumber(0, checkpoint.size());
    lastCheckpoint = checkpointBytes;
    hasCheckpoint = true;
    checkpointBytes += checkpoint.size();
  }

  /** Appends a checkpoint, whose size is to be set where it begins. */
  static void head(EncodedBytes out, long distance, EncodedBytes body) {
    out.paddedNumber(0);
    out.number(CHECKPOINT_TYPE);
    out.number(0); // time
    out.number(0); // duration
    out.number(distance);
    out.append(body);
  }

  /** No sample follows: ends the last checkpoint. What is in memory stays there. */
  public void end() {
    endCheckpoint();
  }

  /**
   * Appends it to a file as a chunk. Only the last write makes it one; before that, readers ignore
   * the bytes behind JFR's chunk.
   *
   * @param out the file of a chunk that JFR has finished
   * @param header of that chunk
   * @param place how many woven chunks are between the two
   * @param markKey the key of the constant that is the mark
   * @param mark whose samples they are
   * @param buffer buffer for copying
   * @throws IOException if that fails; the file may then be longer than before
   */
  public void append(
      RandomAccessFile out,
      ChunkHeader header,
      int place,
      long markKey,
      WovenMark mark,
      byte[] buffer)
      throws IOException {
    long origin = out.length();
    EncodedBytes tail = new EncodedBytes(1 << 14);
    EncodedBytes head = frame(header, place, NO_DURATION, markKey, mark, tail);
    out.seek(origin + ChunkHeader.BYTES);
    content(out, buffer, tail);
    out.seek(origin);
    head.writeTo(out);
  }

  /**
   * Writes it as {@link #append} does, where only the heap has it.
   *
   * @param durationNanos its duration; {@link #NO_DURATION} beside the chunk that has it
   * @return when it begins, since 1970
   */
  public long writeTo(
      DataOutput out,
      ChunkHeader header,
      int place,
      long durationNanos,
      long markKey,
      WovenMark mark)
      throws IOException {
    EncodedBytes tail = new EncodedBytes(1 << 14);
    frame(header, place, durationNanos, markKey, mark, tail).writeTo(out);
    content(out, null, tail);
    return startNanos(header, place);
  }

  /** Readers take chunks that begin at the same time for one. */
  private static long startNanos(ChunkHeader header, int place) {
    return header.startNanos() + 1 + place;
  }

  /** Appends what is behind the checkpoints to {@code tail}; returns the header. */
  private EncodedBytes frame(
      ChunkHeader header,
      int place,
      long durationNanos,
      long markKey,
      WovenMark mark,
      EncodedBytes tail) {
    final long startNanos = startNanos(header, place);
    final long startTicks =
        header.startTicks()
            + Math.round((1 + place) * (header.ticksPerSecond() / NANOS_PER_SECOND));
    EncodedBytes body = new EncodedBytes(512);
    body.raw(0);
    body.number(WovenTypes.LAST_POOLS);
    types.appendLast(body, markKey, mark);
    head(tail, lastCheckpoint - checkpointBytes, body);
    tail.setPaddedNumber(0, tail.size());
    final long last = ChunkHeader.BYTES + eventBytes + checkpointBytes;
    final long metadata = last + tail.size();
    types.appendMetadata(tail, startTicks, startNanos);
    EncodedBytes head = new EncodedBytes(ChunkHeader.BYTES);
    HeaderBytes.append(
        head,
        last + tail.size(),
        last,
        metadata,
        startNanos,
        durationNanos,
        startTicks,
        header.ticksPerSecond());
    return head;
  }

  private void content(DataOutput out, byte[] buffer, EncodedBytes tail) throws IOException {
    if (eventBytesInFile > 0) {
      file.copyEvents(out, buffer);
    }
    events.writeTo(out);
    if (checkpointBytes > checkpoint.size()) {
      file.copyConstants(out, buffer);
    }
    checkpoint.writeTo(out);
    tail.writeTo(out);
  }

  /**
   * The header at the beginning of a file.
   *
   * @throws IOException if there is none
   */
  public static ChunkHeader header(RandomAccessFile file) throws IOException {
    return header(file, 0);
  }

  /** The header of the chunk at a position of a file. */
  static ChunkHeader header(RandomAccessFile file, long position) throws IOException {
    byte[] bytes = new byte[ChunkHeader.BYTES];
    file.seek(position);
    file.readFully(bytes);
    ByteBuffer header = ByteBuffer.wrap(bytes).position(bytes.length);
    if (!ChunkHeader.hasMagic(header)) {
      throw new IOException("it is no recording");
    }
    return ChunkHeader.of(header, position);
  }
}
