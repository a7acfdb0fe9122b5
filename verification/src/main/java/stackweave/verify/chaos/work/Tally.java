package stackweave.verify.chaos.work;

/** What one antagonist has done, by the numbers of {@code Antagonist.counts}. Thread-safe. */
public record Tally(Board board, int firstSlot) {

  public void add(int count, long amount) {
    board.add(firstSlot + count, amount);
  }

  public void one(int count) {
    add(count, 1);
  }

  public void set(int count, long value) {
    board.set(firstSlot + count, value);
  }

  public long get(int count) {
    return board.get(firstSlot + count);
  }

  public void done() {
    board.set(firstSlot + Board.COUNTS - 1, 1);
  }

  public boolean isDone() {
    return board.get(firstSlot + Board.COUNTS - 1) != 0;
  }

  /** Changes as long as the antagonist does something. */
  public long beat() {
    long sum = 0;
    for (int i = 0; i < Board.COUNTS; i++) {
      sum = sum * 31 + board.get(firstSlot + i);
    }
    return sum;
  }
}
