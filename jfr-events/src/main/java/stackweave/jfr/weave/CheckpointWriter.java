package stackweave.jfr.weave;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes constants as checkpoints behind the events of a chunk, one after the other: a checkpoint
 * is closed when it has a megabyte. Each names the one before it. Not thread-safe.
 */
final class CheckpointWriter {
  private static final int CHECKPOINT_TYPE = 1;
  private static final int PIECE_BYTES = 1 << 20;

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
    head.clear();
    head.number(CHECKPOINT_TYPE);
    head.number(startTicks);
    head.number(0); // duration
    head.number(last == 0 ? 0 : last - position);
    head.raw(0); // a checkpoint like any other
    head.number(poolCount);
    int size = 4 + head.size() + pools.size();
    EncodedBytes first = new EncodedBytes(4);
    first.paddedNumber(size);
    first.writeTo(out);
    head.writeTo(out);
    pools.writeTo(out);
    pools.clear();
    poolCount = 0;
    last = position;
    position += size;
  }

  /** No constant follows. */
  void end() throws IOException {
    endCheckpoint();
  }

  /** Where in the chunk the last checkpoint is. */
  long last() {
    return last;
  }

  /** Where in the chunk the next thing is. */
  long position() {
    return position;
  }
}
