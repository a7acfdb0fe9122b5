package stackweave.lab.chaos.work;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Progress counters in a mapped file: the forked JVM writes them; its parent watches them, and can
 * still read them if that JVM crashes. Thread-safe.
 */
public final class Board {
  /** Slots of one antagonist: its counts, and last whether it is done. */
  static final int COUNTS = 8;

  /** What the forked JVM is doing: 0 starting, then one of these. */
  public static final int STAGE = 0;

  public static final long WORKING = 1;
  public static final long ENDING = 2;

  /** Rounds that the load's workers have finished, a slot each. */
  public static final int WORKERS = 1;

  /** Where the antagonists begin. */
  static final int ANTAGONISTS = 16;

  private static final int SLOTS = 256;
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer slots;

  private Board(MappedByteBuffer slots) {
    this.slots = slots;
  }

  /** Opens the board in a file, and creates the file if there is none. */
  public static Board open(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return new Board(channel.map(FileChannel.MapMode.READ_WRITE, 0, SLOTS * Long.BYTES));
    }
  }

  /** Adds to a slot, atomically. */
  public void add(int slot, long amount) {
    LONGS.getAndAdd(slots, slot * Long.BYTES, amount);
  }

  /** Sets a slot, at once visible to the other JVM. */
  public void set(int slot, long value) {
    LONGS.setVolatile(slots, slot * Long.BYTES, value);
  }

  /** The current value of a slot. */
  public long get(int slot) {
    return (long) LONGS.getVolatile(slots, slot * Long.BYTES);
  }

  /** The numbers of the antagonist at this place in a mix. */
  public Tally tally(int place) {
    return new Tally(this, ANTAGONISTS + place * COUNTS);
  }
}
