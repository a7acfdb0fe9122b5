package stackweave.jfr.weave;

import java.io.IOException;
import java.io.OutputStream;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.weave.format.EncodedBytes;
import stackweave.jfr.weave.format.WeaveException;

/**
 * Writes constants as checkpoints behind the events of a chunk, one after the other: a checkpoint
 * is closed when it has a megabyte. Each names the one before it. Not thread-safe.
 */
final class CheckpointWriter {
  private static final int CHECKPOINT_TYPE = 1;
  private static final int PIECE_BYTES = 1 << 20;

  /** What four bytes of a compressed number hold. */
  private static final long MOST_BYTES = (1 << 28) - 1;

  /** Size, type, time, duration, distance and flags. */
  private static final int HEAD_BYTES = 40;

  private final OutputStream out;
  private final long startTicks;
  private final EncodedBytes pools = new EncodedBytes(PIECE_BYTES);
  private final EncodedBytes constants = new EncodedBytes(1 << 16);
  private final EncodedBytes head = new EncodedBytes(HEAD_BYTES);
  private int poolCount;
  private long type;
  private int count;

  /** Where in the chunk the next checkpoint will be. */
  private long position;

  /** Where in the chunk the last one is; 0 for none. */
  private long last;

  /**
   * Before the first constant.
   *
   * @param startTicks the time that the checkpoints have
   * @param position where in the chunk they begin
   * @param before where in the chunk the last checkpoint is until now; 0 for none
   */
  CheckpointWriter(OutputStream out, long startTicks, long position, long before) {
    this.out = out;
    this.startTicks = startTicks;
    this.position = position;
    this.last = before;
  }

  /** What follows are constants of a type. */
  void begin(long typeId) {
    endPool();
    type = typeId;
  }

  /** Adds a constant: its key; the caller appends its value to what is returned. */
  EncodedBytes key(long key) throws IOException {
    if (pools.size() + constants.size() > PIECE_BYTES) {
      endCheckpoint();
    }
    count++;
    constants.number(key);
    return constants;
  }

  private void endPool() {
    if (count > 0) {
      pools.number(type);
      pools.number(count);
      pools.append(constants);
      poolCount++;
    }
    constants.clear();
    count = 0;
  }

  private void endCheckpoint() throws IOException {
    endPool();
    EncodedBytes body = new EncodedBytes(16);
    body.raw(0); // a checkpoint like any other
    body.number(poolCount);
    head(body.size() + pools.size());
    body.writeTo(out);
    pools.writeTo(out);
    pools.clear();
    poolCount = 0;
  }

  private void head(long bodySize) throws IOException {
    head.clear();
    head.number(CHECKPOINT_TYPE);
    head.number(startTicks);
    head.number(0); // duration
    head.number(last == 0 ? 0 : last - position);
    long size = 4 + head.size() + bodySize;
    if (size > MOST_BYTES) {
      throw new WeaveException("it has a checkpoint of " + bodySize + " bytes");
    }
    EncodedBytes first = new EncodedBytes(4);
    first.paddedNumber((int) size);
    first.writeTo(out);
    head.writeTo(out);
    last = position;
    position += size;
  }

  /** Writes a checkpoint of another one's flags and pools, from where to where they are. */
  void copy(ChunkSource source, long from, long to) throws IOException {
    head(to - from);
    source.copy(from, to, out);
  }

  /** No constant follows. */
  void end() throws IOException {
    endCheckpoint();
  }

  /** Where in the chunk the last checkpoint is. */
  long last() {
    return last;
  }
}
