package stackweave.lab.chaos.work;

/**
 * The counts of one antagonist on the board, by the numbers of {@code Antagonist.counts}.
 * Thread-safe.
 */
public record Tally(Board board, int firstSlot) {

  /** Adds to the count of this number. */
  public void add(int count, long amount) {
    board.add(firstSlot + count, amount);
  }

  /** Adds one to the count of this number. */
  public void one(int count) {
    add(count, 1);
  }

  /** Sets the count of this number. */
  public void set(int count, long value) {
    board.set(firstSlot + count, value);
  }

  /** The count of this number. */
  public long get(int count) {
    return board.get(firstSlot + count);
  }

  /** Says that the antagonist has ended. */
  public void done() {
    board.set(firstSlot + Board.COUNTS - 1, 1);
  }

  /** Whether the antagonist has ended. */
  public boolean isDone() {
    return board.get(firstSlot + Board.COUNTS - 1) != 0;
  }

  /** A number that changes as long as the antagonist does something. */
  public long beat() {
    long sum = 0;
    for (int i = 0; i < Board.COUNTS; i++) {
      sum = sum * 31 + board.get(firstSlot + i);
    }
    return sum;
  }
}
